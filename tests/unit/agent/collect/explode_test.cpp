#include "agent/collect/explode.hpp"

#include <gmock/gmock.h>

#include "base/json.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::agent {
namespace {

using testing::ElementsAre;

class ExplodeTest : public testing::Test {
 protected:
  std::vector<std::string> names(const std::string& deployments) {
    const Json content = parse_json("{\"deployments\": " + deployments + "}", "t").value_or_throw();
    std::vector<std::string> found;
    for (const Collected& document : explode("heat", content, {"deployments", "absent"}, log_))
      found.push_back(document.name);
    return found;
  }
  fakes::MemoryLogger log_;
};

TEST_F(ExplodeTest, OnlyGroupsOfOsApplyConfigAreTaken) {
  EXPECT_THAT(names(R"([{"name":"a","config":{}},{"name":"b","group":"script","config":""},
                        {"name":"c","group":"Heat::Ungrouped","config":1},{"name":"d","group":"os-apply-config","config":2}])"),
              ElementsAre("heat", "a", "c", "d"));
}

TEST_F(ExplodeTest, MalformedDeploymentsAreWarnedAboutAndPassedOver) {
  EXPECT_THAT(names(R"([{"config":1}, {"name":"x"}, 5, {"name":7,"config":{}}])"), ElementsAre("heat", "7"));
  EXPECT_THAT(log_.lines, ElementsAre("WARNING No name found for a deployment under deployments.",
                                      "WARNING No config found for deployment x under deployments.",
                                      "WARNING A deployment under deployments is not an object."));
}

TEST_F(ExplodeTest, SomethingElseThanAListIsWarnedAbout) {
  EXPECT_THAT(names("{}"), ElementsAre("heat"));
  EXPECT_THAT(log_.lines, ElementsAre("WARNING Deployment-key deployments was found but does not contain a list."));
}

TEST_F(ExplodeTest, TheWholeObjectKeepsItsDeployments) {
  const Json content = {{"deployments", Json::array({{{"name", "a"}, {"config", 1}}})}};
  EXPECT_EQ(explode("heat", content, {"deployments"}, log_).at(0).content, content);
}

}  // namespace
}  // namespace hearth::agent
