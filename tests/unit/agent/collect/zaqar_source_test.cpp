#include "agent/collect/zaqar_source.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

const std::string k_config = "[zaqar]\nauth_url=http://k/v3\nuser_id=u\npassword=p\nproject_id=t\nqueue_id=q\n";
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
  EXPECT_EQ(documents(collect_zaqar, k_config), (std::vector<Collected>{{"zaqar", {{"k", 1}}}}));
  EXPECT_EQ(find_header(http_.sent.back().headers, "X-Project-Id"), "t");
  EXPECT_EQ(find_header(http_.sent.back().headers, "Client-ID")->size(), 36U);
}

TEST_F(ZaqarSourceTest, AnEmptyQueueIsUnavailable) {
  http_.on("DELETE", k_pop, 204, "");
  EXPECT_TRUE(is_unavailable(collect(collect_zaqar, k_config)));
}

TEST_F(ZaqarSourceTest, CertificatesAreCheckedOnlyWhenAskedFor) {
  http_.on("DELETE", k_pop, 204, "");
  (void)collect(collect_zaqar, k_config);
  EXPECT_FALSE(http_.sent.back().verify_tls);
  (void)collect(collect_zaqar, k_config + "ssl_certificate_validation=1\nca_file=/ca.pem\n");
  EXPECT_TRUE(http_.sent.back().verify_tls);
  EXPECT_EQ(http_.sent.back().ca_file, "/ca.pem");
}

TEST_F(ZaqarSourceTest, CheckingWithoutAuthorityFileIsNotConfigured) {
  EXPECT_TRUE(is_unconfigured(collect(collect_zaqar, k_config + "ssl_certificate_validation=1\n")));
}

TEST_F(ZaqarSourceTest, UnconfiguredIsWarnedAboutOnce) {
  EXPECT_TRUE(is_unconfigured(collect(collect_zaqar, "")));
  EXPECT_TRUE(is_unconfigured(collect(collect_zaqar, "")));
  EXPECT_THAT(log_.lines, testing::ElementsAre("WARNING No auth_url configured.", "DEBUG No auth_url configured."));
}

}  // namespace
}  // namespace hearth::agent
