#include "bootstrap/conductor/deploy_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

using testing::HasSubstr;

Json step(const char* name, int priority, const char* interface = "deploy") {
  return {{"interface", interface}, {"step", name}, {"priority", priority}, {"args", Json::object()}};
}

const Json k_offered = Json::parse(R"([
  {"interface": "deploy", "step": "write_image", "priority": 0},
  {"interface": "deploy", "step": "erase_devices_metadata", "priority": 0},
  {"interface": "deploy", "step": "inject", "priority": 50},
  {"interface": "raid", "step": "apply_configuration", "priority": 0, "argsinfo": {"raid_config": {"required": true}}}])");

TEST(DeploySteps, standInTheOrderOfTheirPriorityAroundOurs) {
  const Json raid = {
      {"interface", "raid"}, {"step", "apply_configuration"}, {"priority", 90}, {"args", {{"raid_config", {}}}}};
  const StepPlan plan = plan_steps(
      Node(), k_offered, {{{"name", "CUSTOM_X"}, {"steps", {step("erase_devices_metadata", 95), raid}}}}, Json());
  ASSERT_EQ(plan.fault, "");
  EXPECT_EQ(plan.steps["first steps"], Json::array({step("erase_devices_metadata", 95), raid}));
  EXPECT_EQ(plan.steps["last steps"][0]["step"], "inject") << "the agent's own, by its own priority";
  const StepPlan other =
      plan_steps(Node(), k_offered, {{{"name", "CUSTOM_X"}, {"steps", {step("erase_devices_metadata", 95)}}}},
                 {step("erase_devices_metadata", 70), step("inject", 0)});
  EXPECT_EQ(other.steps, Json({{"image steps", {step("erase_devices_metadata", 70)}}})) << "the request goes before";
}

TEST(DeploySteps, thatCanNotBeDoneAreToldByName) {
  const auto fault = [](const Json& asked) { return plan_steps(Node(), k_offered, {}, asked).fault; };
  EXPECT_THAT(fault(Json::array({step("frob", 90)})), HasSubstr("node does not support this deploy step: "));
  EXPECT_THAT(fault(Json::array({step("frob", 90)})), HasSubstr("frob"));
  EXPECT_THAT(fault(Json::array({step("write_image", 90)})),
              HasSubstr("is a core step and cannot be overridden by user steps"));
  EXPECT_THAT(fault({step("inject", 60), step("inject", 70)}), HasSubstr("Duplicate deploy steps for deploy.inject"));
  EXPECT_THAT(fault(Json::array({step("inject", 30)})), HasSubstr("the agent, which is to run it, has left"));
  EXPECT_THAT(fault(Json::array({step("apply_configuration", 90, "raid")})),
              HasSubstr("is missing these required arguments: raid_config"));
  EXPECT_THAT(plan_steps(Node(), k_offered, {{{"name", "CUSTOM_X"}, {"steps", {step("frob", 90)}}}}, Json()).fault,
              HasSubstr("Matching deploy templates: CUSTOM_X. Errors: node does not support"));
  EXPECT_EQ(steps_fault(Json::array({step("frob", 90)})), "");
  for (const char* bad : {"{}", R"([{"step": "x"}])", R"([{"interface": "deploy", "step": "x", "priority": -1}])",
                          R"([{"interface": "deploy", "step": "x", "priority": 1, "args": []}])"})
    EXPECT_NE(steps_fault(Json::parse(bad)), "") << bad;
}

class DeployStepsRun : public ConductorFixture {
 protected:
  std::string deploys(const Json& arguments) {
    const std::string uuid = add("fake-hardware");
    Node& node = conductor->ledger().edit(uuid);
    node.traits = {"CUSTOM_X"};
    node.instance_info["traits"] = {"CUSTOM_X"};
    store.put_document("deploy_templates/t",
                       {{"uuid", "t"}, {"name", "CUSTOM_X"}, {"steps", {step("erase_devices", 90)}}});
    store.put_document("deploy_templates/u", {{"uuid", "u"}, {"name", "CUSTOM_Y"}, {"steps", {step("frob", 90)}}});
    conductor->verb(uuid, "deploy", arguments);
    pass(3);
    agent_calls(uuid);
    return uuid;
  }
  std::vector<std::string> done() {
    std::vector<std::string> steps;
    for (const Json& row : agents.agents["http://192.0.2.9:9999"].commands) {
      if (row["command_name"] == "execute_deploy_step") steps.push_back(row["command_params"]["step"]["step"]);
    }
    return steps;
  }
};

TEST_F(DeployStepsRun, aTemplateOfTheNodesTraitAndTheRequestAreDoneBeforeAndBehindTheImageAlsoByTheConductorAfterThis) {
  agents.rounds = 3;
  const std::string uuid = deploys({{"deploy_steps", {step("erase_devices_metadata", 50)}}});
  pass(3);
  EXPECT_EQ(node(uuid).job.stage, Stage::first_steps);
  start();
  pass(40);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(done(), (std::vector<std::string>{"erase_devices", "write_image", "erase_devices_metadata"}));
}

TEST_F(DeployStepsRun, whatTheAgentDoesNotKnowFailsTheDeploymentBeforeAnythingIsWritten) {
  const std::string uuid = deploys({{"deploy_steps", {step("frob", 90)}}});
  pass(5);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_THAT(node(uuid).last_error, HasSubstr("node does not support this deploy step"));
  EXPECT_TRUE(done().empty());
  Node& changed = conductor->ledger().edit(uuid);
  changed.traits.clear();
  try {
    conductor->verb(uuid, "deploy", {});
    ADD_FAILURE() << "taken";
  } catch (const Refusal& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("is missing traits CUSTOM_X"));
  }
  EXPECT_THROW(conductor->verb(uuid, "deploy", {{"deploy_steps", {{{"step", "x"}}}}}), Refusal);
}

TEST_F(DeployStepsRun, anAgentThatAnswersNonsenseFailsItsOwnNodeOnly) {
  const auto steps = [](const Json& rows) {
    return Json{{"id", "1"}, {"command_status", "SUCCEEDED"}, {"command_result", {{"deploy_steps", {{"M", rows}}}}}};
  };
  const Json wrong_info = {
      {"interface", "deploy"}, {"step", "erase_devices"}, {"argsinfo", {{"x", {{"required", "y"}}}}}};
  int last = 20;
  for (const Json& answer : {Json::array(), Json(5), Json("RUNNING"), steps(Json::array({wrong_info}))}) {
    const std::string bad = deploys(Json::object());
    agents.strange["http://192.0.2.9:9999"] = answer;
    const std::string good = add("fake-hardware", cat("52:54:00:00:00:", last), cat("good", last));
    conductor->verb(good, "deploy", Json::object());
    pass(3);
    const std::string peer = cat("192.0.2.", last);
    agent_calls(good, cat("http://", peer, ":9999"), peer);
    pass(40);
    EXPECT_EQ(node(bad).state, State::deploy_failed) << answer;
    EXPECT_NE(node(bad).last_error, "") << answer;
    EXPECT_EQ(node(good).state, State::active) << answer << ": " << node(good).last_error;
    conductor->ledger().remove(bad);
    conductor->settle();
    ++last;
  }
}

TEST(FindOrder, tellsStepsOfOneNameByTheirInterface) {
  const auto row = [](const char* id, const char* interface) {
    return Json{{"id", id},
                {"command_name", "execute_deploy_step"},
                {"command_params", {{"step", {{"interface", interface}, {"step", "apply_configuration"}}}}}};
  };
  const Order order{
      "deploy.execute_deploy_step", {{"step", {{"interface", "bios"}, {"step", "apply_configuration"}}}}, false, false};
  EXPECT_EQ(find_order({row("1", "raid")}, order), nullptr);
  EXPECT_EQ((*find_order({row("1", "bios"), row("2", "raid")}, order))["id"], "1");
}

}  // namespace
}  // namespace hearth::bootstrap
