#include "bootstrap/client/conductor_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A conductor that answers with what was put down for each target.
class ScriptedConductor final : public ConductorClient {
 public:
  std::map<std::string, std::pair<int, Json>> answers;
  std::string rests;  ///< what it says to everybody meanwhile
  [[nodiscard]] bool lasts() const override { return true; }
  void wait(Duration) override {}

 private:
  [[nodiscard]] Answer send(const std::string&, const std::string& target, const std::string&) override {
    const auto found = answers.find(target);
    if (!rests.empty()) return {503, rests};
    return found == answers.end() ? Answer{500, "{}"} : Answer{found->second.first, found->second.second.dump()};
  }
};

std::vector<std::string> uuids(const Json& rows) {
  std::vector<std::string> found;
  for (const Json& row : rows) found.push_back(text_in(row, "uuid"));
  return found;
}

TEST(ConductorClient, listsAreAskedForPageByPage) {
  ScriptedConductor conductor;
  conductor.answers["/v1/nodes?limit=1000"] = {200, {{"nodes", {{{"uuid", "a"}}, {{"uuid", "b"}}}}, {"next", "u"}}};
  conductor.answers["/v1/nodes?limit=1000&marker=b"] = {200, {{"nodes", {{{"uuid", "c"}}}}}};
  EXPECT_THAT(uuids(conductor.rows("/v1/nodes", "nodes")), ElementsAre("a", "b", "c"));
}

TEST(ConductorClient, aNodeThatIsDeletedBetweenTwoPagesEndsNoList) {
  ScriptedConductor conductor;
  conductor.answers["/v1/nodes?limit=1000"] = {200, {{"nodes", {{{"uuid", "a"}}, {{"uuid", "b"}}}}, {"next", "u"}}};
  conductor.answers["/v1/nodes?limit=1000&marker=b"] = {404, {{"error_message", "The marker b could not be found."}}};
  conductor.answers["/v1/nodes"] = {200, {{"nodes", {{{"uuid", "a"}}, {{"uuid", "c"}}}}}};
  EXPECT_THAT(uuids(conductor.rows("/v1/nodes", "nodes")), ElementsAre("a", "c"));
  conductor.answers["/v1/nodes?limit=1000"] = {404, {{"error_message", "none"}}};
  EXPECT_THROW(static_cast<void>(conductor.rows("/v1/nodes", "nodes")), Error);
}

TEST(ConductorClient, whyASeedRestsIsTold) {
  ScriptedConductor conductor;
  conductor.rests =
      "503 Service Unavailable: the home has not confirmed for 3 s that this seed is the one that serves\n";
  try {
    static_cast<void>(conductor.call("GET", "/v1/nodes"));
    ADD_FAILURE() << "it was answered";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the home has not confirmed for 3 s that this seed is the one that serves (HTTP 503)");
  }
}

std::string story_for(const std::string& asked, const std::vector<std::string>& names) {
  ScriptedConductor conductor;
  conductor.answers[node_target(asked)] = {404, {{"error_message", cat("Node ", asked, " could not be found.")}}};
  Json rows = Json::array();
  for (const std::string& name : names) rows.push_back({{"name", name}});
  conductor.answers["/v1/nodes?fields=name,uuid"] = {200, {{"nodes", rows}}};
  try {
    static_cast<void>(conductor.call("GET", node_target(asked)));
  } catch (const Error& error) {
    return error.story();
  }
  return "taken";
}

TEST(ConductorClient, ofNamesThatAreAllAsNearNoneIsSaidToBeMeant) {
  const std::vector<std::string> rack = {"srv-a1", "srv-a2", "srv-a3", "srv-b1", "srv-b2",
                                         "srv-b3", "srv-c1", "srv-c2", "srv-c3"};
  EXPECT_THAT(story_for("srv-a11", rack), HasSubstr("Did you mean srv-a1?"));
  EXPECT_THAT(story_for("srv-z9", rack), HasSubstr("`hearth node list` prints them."));
  EXPECT_THAT(story_for("web3", {"web1", "web2"}), HasSubstr("Did you mean web1 or web2?"));
}

}  // namespace
}  // namespace hearth::bootstrap
