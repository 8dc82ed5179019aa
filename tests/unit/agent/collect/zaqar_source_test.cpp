#include "agent/collect/sources.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

const std::string k_zaqar_source_config =
    "[zaqar]\nauth_url=http://k/v3\nuser_id=u\npassword=p\nproject_id=t\nqueue_id=q\n";
const std::string k_pop = "https://z/v2/queues/q/messages?pop=1";

class ZaqarSourceTest : public SourceFixture {
 protected:
  ZaqarSourceTest() {
    http_.on(
        "POST", "http://k/v3/auth/tokens", 201,
        R"({"token": {"catalog": [{"type": "messaging", "endpoints": [{"interface": "public", "region": "R", "url": "https://z"}]}]}})",
        {{"X-Subject-Token", "tok"}});
  }
};

TEST_F(ZaqarSourceTest, TheOldestMessageIsTaken) {
  http_.on("DELETE", k_pop, 200, R"({"messages": [{"body": {"k": 1}}]})");
  EXPECT_EQ(documents(collect_zaqar, k_zaqar_source_config), (std::vector<Collected>{{"zaqar", {{"k", 1}}}}));
  EXPECT_EQ(find_header(http_.sent.back().headers, "X-Project-Id"), "t");
  EXPECT_EQ(find_header(http_.sent.back().headers, "Client-ID")->size(), 36U);
}

TEST_F(ZaqarSourceTest, AnEmptyQueueIsUnavailable) {
  http_.on("DELETE", k_pop, 204, "");
  EXPECT_TRUE(is_unavailable(collect(collect_zaqar, k_zaqar_source_config)));
}

TEST_F(ZaqarSourceTest, AMessageThatNoCommandHasAppliedIsNotLost) {
  http_.on("DELETE", k_pop, 204, "");
  const std::string config = "[DEFAULT]\ncachedir=/c\n" + k_zaqar_source_config;
  files_.put("/c/zaqar.json", R"({"k": 1})");
  EXPECT_EQ(documents(collect_zaqar, config), (std::vector<Collected>{{"zaqar", {{"k", 1}}}}));
  files_.put("/c/zaqar.json.last", R"({"k": 1})");
  EXPECT_TRUE(is_unavailable(collect(collect_zaqar, config)));
}

TEST_F(ZaqarSourceTest, AWebSocketIsUsedWhenAskedFor) {
  http_.on(
      "POST", "http://k/v3/auth/tokens", 201,
      R"({"token": {"catalog": [{"type": "messaging-websocket", "endpoints": [{"interface": "public", "url": "wss://z:9000/"}]}]}})",
      {{"X-Subject-Token", "tok"}});
  (void)collect(collect_zaqar, k_zaqar_source_config);  // the first answer has no such endpoint
  clock_.advance(std::chrono::hours(1));
  for (int i = 0; i < 3; ++i) messages_.answers.emplace_back(R"({"headers": {"status": 200}})");
  messages_.answers.emplace_back(R"({"headers": {"status": 200}, "body": {"messages": [{"body": {"k": 3}}]}})");
  EXPECT_EQ(documents(collect_zaqar, k_zaqar_source_config + "use_websockets=1\n"),
            (std::vector<Collected>{{"zaqar", {{"k", 3}}}}));
  EXPECT_EQ(messages_.dialed.at(0).text(), "https://z:9000/");
}

TEST_F(ZaqarSourceTest, CertificatesAreCheckedOnlyWhenAskedFor) {
  http_.on("DELETE", k_pop, 204, "");
  (void)collect(collect_zaqar, k_zaqar_source_config);
  EXPECT_FALSE(http_.sent.back().verify_tls);
  (void)collect(collect_zaqar, k_zaqar_source_config + "ssl_certificate_validation=1\nca_file=/ca.pem\n");
  EXPECT_TRUE(http_.sent.back().verify_tls);
  EXPECT_EQ(http_.sent.back().ca_file, "/ca.pem");
}

TEST_F(ZaqarSourceTest, CheckingWithoutAuthorityFileIsNotConfigured) {
  EXPECT_TRUE(is_unconfigured(collect(collect_zaqar, k_zaqar_source_config + "ssl_certificate_validation=1\n")));
}

TEST_F(ZaqarSourceTest, UnconfiguredIsWarnedAboutOnce) {
  EXPECT_TRUE(is_unconfigured(collect(collect_zaqar, "")));
  EXPECT_TRUE(is_unconfigured(collect(collect_zaqar, "")));
  EXPECT_THAT(log_.lines, testing::ElementsAre("WARNING No auth_url configured.", "DEBUG No auth_url configured."));
}

}  // namespace
}  // namespace hearth::agent
