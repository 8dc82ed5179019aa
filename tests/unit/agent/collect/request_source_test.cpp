#include "agent/collect/sources.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::string k_url = "http://h/m?temp_url_sig=secret";
const std::string k_request_source_config = "[request]\nmetadata_url=" + k_url + "\n";

class RequestSourceTest : public SourceFixture {
 protected:
  void answer(int status, const std::string& body) {
    http_.on("HEAD", k_url, 404);
    http_.on("GET", k_url, status, body);
  }
};

TEST_F(RequestSourceTest, AsksHeadThenGetAndExplodes) {
  answer(200, R"({"deployments": [{"name": "d", "config": {"k": 1}}]})");
  const std::vector<Collected> found = documents(collect_request, k_request_source_config);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "request");
  EXPECT_EQ(found[1], (Collected{"d", {{"k", 1}}}));
  EXPECT_EQ(http_.sent.at(0).method, "HEAD");
}

TEST_F(RequestSourceTest, UnconfiguredIsUnavailableButWorthAWarningOnlyOnce) {
  const Collection collection = collect(collect_request, "[request]\nmetadata_url=\n");
  ASSERT_TRUE(is_unavailable(collection));
  EXPECT_TRUE(std::get<Unavailable>(collection).unconfigured);
  EXPECT_THAT(log_.lines, Contains("INFO No metadata_url configured."));
}

TEST_F(RequestSourceTest, AnErrorAnswerIsAWarningWithoutTheSignature) {
  answer(403, "");
  EXPECT_TRUE(is_unavailable(collect(collect_request, k_request_source_config)));
  EXPECT_THAT(log_.lines, Contains(HasSubstr("403 Client Error")));
  EXPECT_THAT(log_.lines, testing::Not(Contains(HasSubstr("secret"))));
}

TEST_F(RequestSourceTest, BadJsonAndOtherValuesDoNotCrashIt) {
  answer(200, "[1]");
  EXPECT_TRUE(is_unavailable(collect(collect_request, k_request_source_config)));
  EXPECT_THAT(log_.lines, Contains("WARNING Failed to parse as json. (not an object)"));
}

TEST_F(RequestSourceTest, ARefusedConnectionIsAWarning) {
  EXPECT_TRUE(is_unavailable(collect(collect_request, k_request_source_config)));
  EXPECT_FALSE(log_.lines.empty());
}

TEST_F(RequestSourceTest, AUrlThatIsNoneIsAWarning) {
  EXPECT_TRUE(is_unavailable(collect(collect_request, "[request]\nmetadata_url=gopher:x\n")));
  EXPECT_FALSE(log_.lines.empty());
}

}  // namespace
}  // namespace hearth::agent
