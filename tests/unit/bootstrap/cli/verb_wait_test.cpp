#include "bootstrap/cli/verb_wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Its nodes come from one state to the next at each look at them; the last one stays.
class MovingConductor final : public ConductorClient {
 public:
  std::map<std::string, std::vector<std::string>> states;
  [[nodiscard]] bool lasts() const override { return true; }
  void wait(Duration) override {}

 private:
  [[nodiscard]] Answer send(const std::string&, const std::string& target, const std::string&) override {
    const std::string name = target.substr(target.rfind('/') + 1);
    std::vector<std::string>& left = states.at(name);
    const std::string state = left.front();
    if (left.size() > 1) left.erase(left.begin());
    const Json node = {{"name", name},
                       {"provision_state", state},
                       {"target_provision_state", state == "active" ? Json() : Json("active")},
                       {"last_error", state == "deploy failed" ? Json("no disk") : Json()}};
    return {200, node.dump()};
  }
};

class VerbWait : public testing::Test {
 protected:
  /// What stands on standard error behind it.
  std::string wait(const std::vector<std::string>& nodes, std::uint64_t seconds) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    wait_for(conductor, nodes, "active", seconds, well, failures);
    printed = testing::internal::GetCapturedStdout();
    return testing::internal::GetCapturedStderr();
  }
  MovingConductor conductor;
  std::vector<std::string> well, failures;
  std::string printed;
};

TEST_F(VerbWait, OfSeveralNodesEachIsToldWhenItIsThere) {
  conductor.states = {{"web1", {"deploying", "deploying", "active"}}, {"db1", {"deploying", "active"}}};
  const std::string told = wait({"web1", "db1"}, 60);
  EXPECT_THAT(well, ElementsAre("db1", "web1")) << "as they come";
  EXPECT_TRUE(failures.empty()) << join(failures, " | ");
  EXPECT_THAT(printed, HasSubstr("Waiting for provision state active on nodes web1, db1\n"));
  EXPECT_LT(told.find("db1 is active\n"), told.find("web1 is active\n")) << told;
}

TEST_F(VerbWait, OneThatFailedKeepsNobodyFromWaitingForTheOthers) {
  conductor.states = {{"web1", {"deploy failed"}}, {"db1", {"deploying", "active"}}, {"db2", {"deploying"}}};
  (void)wait({"web1", "db1", "db2"}, 2);
  EXPECT_THAT(well, ElementsAre("db1"));
  EXPECT_THAT(
      failures,
      ElementsAre(HasSubstr("Node web1 failed to reach state active. It's in state deploy failed, and has error: "
                            "no disk"),
                  HasSubstr("Node db2 did not reach state active in 2 s; it goes on")));
}

}  // namespace
}  // namespace hearth::bootstrap
