// The stages of bootstrap/conductor/job_power.cpp.
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class JobPower : public ConductorFixture {};

TEST_F(JobPower, aPersonIsToldWhatToDoAndTheDeploymentGoesOnByItself) {
  const std::string uuid = add("manual-management");
  conductor->ledger().edit(uuid).extra["x_seed"] = {{"rack", "3"}};
  conductor->verb(uuid, "deploy", {});
  pass(2);
  EXPECT_EQ(node(uuid).state, State::wait_call_back);
  EXPECT_EQ(node(uuid).power, Power::on);  // as Ironic's driver says it
  EXPECT_EQ(node(uuid).instruction.action, "power-on-network");
  EXPECT_EQ(
      node(uuid).instruction.text,
      "Switch node web1 (52:54:00:00:00:01, rack 3) off if it is on, set it to boot once from the network (PXE), and "
      "switch it on.");
  pass(301);
  EXPECT_EQ(events(uuid, "reminder").size(), 1U);
  agent_calls(uuid);
  EXPECT_EQ(node(uuid).instruction.action, "");
  EXPECT_EQ(node(uuid).observed, Power::on);
  pass(10);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(node(uuid).instruction.action, "power-on-disk");
  EXPECT_EQ(node(uuid).observed, Power::off);
  conductor->seen("52:54:00:00:00:01", "DHCP", false);
  EXPECT_EQ(node(uuid).instruction.action, "");
}

TEST_F(JobPower, whereTheAgentRestartsTheMachineNobodyHasToComeTwice) {
  const std::string uuid = add("manual-management");
  conductor->ledger().edit(uuid).driver_info["manual_agent_reboot"] = "true";
  conductor->verb(uuid, "deploy", {});
  pass(2);
  agent_calls(uuid);
  pass(10);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(node(uuid).instruction.action, "");
  EXPECT_EQ(agents.count("standby.run_image"), 1U);
}

TEST_F(JobPower, aBmcThatDoesNotAnswerIsTriedAgainAndThenTheNodeFails) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["fake_fault"] = "unreachable";
  conductor->verb(uuid, "deploy", {});
  pass(4);
  EXPECT_EQ(node(uuid).state, State::deploying);
  EXPECT_GE(events(uuid, "retry").size(), 1U);
  pass(60);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_EQ(node(uuid).last_error, "Failed to power off: the BMC does not answer (fake_fault) (tried 4 times)");
}

TEST_F(JobPower, aWrongPasswordIsNotTriedTwice) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::enroll);
  conductor->ledger().edit(uuid).driver_info["fake_fault"] = "refused";
  conductor->verb(uuid, "manage", {});
  pass(2);
  EXPECT_EQ(node(uuid).state, State::enroll);
  EXPECT_EQ(node(uuid).last_error, "Failed to verify: wrong user or password (fake_fault)");
  EXPECT_TRUE(events(uuid, "retry").empty());
}

TEST_F(JobPower, aDeploymentWithoutImageFailsBeforeAnyMachineIsTouched) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).instance_info = Json::object();
  conductor->verb(uuid, "deploy", {});
  pass(1);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_NE(node(uuid).last_error.find("image_source"), std::string::npos);
  EXPECT_EQ(node(uuid).power, Power::off);
}

}  // namespace
}  // namespace hearth::bootstrap
