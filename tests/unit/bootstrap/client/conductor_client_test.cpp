#include "bootstrap/client/conductor_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

using testing::ElementsAre;

/// A conductor that answers with what was put down for each target.
class ScriptedConductor final : public ConductorClient {
 public:
  std::map<std::string, std::pair<int, Json>> answers;
  [[nodiscard]] bool lasts() const override { return true; }
  void wait(Duration) override {}

 private:
  [[nodiscard]] Answer send(const std::string&, const std::string& target, const std::string&) override {
    const auto found = answers.find(target);
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

}  // namespace
}  // namespace hearth::bootstrap
