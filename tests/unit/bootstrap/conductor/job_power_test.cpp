// The stages of bootstrap/conductor/job_power.cpp.
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

/// A machine that notes what it is told, and is off only when it was switched off.
class NotingDriver final : public PowerDriver {
 public:
  struct Machine {
    std::vector<std::string> told;
    Power power = Power::off;
  };
  explicit NotingDriver(Machine& machine) : machine_(machine) {}
  [[nodiscard]] std::vector<std::string> missing(const Node&) const override { return {}; }
  [[nodiscard]] Power state(const Node&) override { return machine_.power; }
  void set(const Node&, PowerAction action) override {
    machine_.told.emplace_back(name(action));
    machine_.power = action == PowerAction::on ? Power::on : Power::off;
  }
  void set_boot_device(const Node&, const std::string& device, bool persistent) override {
    machine_.told.push_back(cat(device, persistent ? " always" : " once"));
  }

 private:
  Machine& machine_;
};

class JobPower : public ConductorFixture {
 protected:
  JobPower() { drivers.add("noting", std::make_unique<NotingDriver>(machine)); }
  /// Deploys a machine until its agent has been told to switch off.
  std::string deploy_until_it_leaves() {
    std::string uuid = add("noting");
    conductor->verb(uuid, "deploy", {});
    pass(3);
    agent_calls(uuid);
    for (int i = 0; i < 20 && node(uuid).job.stage != Stage::await_off; ++i) pass(1);
    EXPECT_EQ(node(uuid).job.stage, Stage::await_off);
    return uuid;
  }
  NotingDriver::Machine machine;
};

TEST_F(JobPower, aMachineIsSwitchedOffBeforeItBootsTheNetworkOnce) {
  const std::string uuid = deploy_until_it_leaves();
  EXPECT_EQ(machine.told, (std::vector<std::string>{"power off", "pxe once", "power on"}));
}

TEST_F(JobPower, aMachineThatIsWritingIsGivenItsTimeAndThenSwitchedOffBeforeItsDiskBoots) {
  const std::string uuid = deploy_until_it_leaves();
  machine.told.clear();
  pass(20);
  EXPECT_TRUE(machine.told.empty()) << machine.told.front();
  EXPECT_EQ(node(uuid).state, State::deploying);
  pass(20);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(machine.told, (std::vector<std::string>{"power off", "disk always", "power on"}));
}

TEST_F(JobPower, aMachineWhoseImageNobodyNamesIsNotTakenOver) {
  const std::string uuid = add("noting");
  conductor->ledger().edit(uuid).instance_info = Json::object();
  set_state(uuid, State::manageable);
  EXPECT_THROW(conductor->verb(uuid, "adopt", {}), Refusal);
  pass(2);
  EXPECT_EQ(node(uuid).state, State::manageable) << "nothing has moved";
  EXPECT_EQ(node(uuid).last_error, "");
  conductor->ledger().edit(uuid).instance_info["image_source"] = "http://192.0.2.1/i.raw";
  conductor->verb(uuid, "adopt", {});
  pass(2);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
}

TEST_F(JobPower, whoMustNeverKeepABootDeviceIsToldItOnce) {
  const std::string uuid = add("noting");
  conductor->ledger().edit(uuid).driver_info["force_persistent_boot_device"] = "Never";
  set_state(uuid, State::rescue);
  conductor->verb(uuid, "unrescue", {});
  pass(5);
  EXPECT_EQ(machine.told, (std::vector<std::string>{"power off", "disk once", "power on"}));
}

TEST_F(JobPower, whatABmcRefusesFailsAtOnceAndPausesBetweenOtherTriesGrow) {
  const std::string refused = add("fake-hardware");
  conductor->ledger().edit(refused).driver_info["fake_fault"] = "refused";
  conductor->verb(refused, "deploy", {});
  pass(2);
  EXPECT_EQ(node(refused).state, State::deploy_failed);
  EXPECT_TRUE(events(refused, "retry").empty());

  const std::string silent = add("fake-hardware", "52:54:00:00:00:02", "web2");
  conductor->ledger().edit(silent).driver_info["fake_fault"] = "unreachable";
  conductor->verb(silent, "deploy", {});
  pass(60);
  std::vector<Stamp> at;
  for (const Event& event : store.events({0, 10000, silent, false})) {
    if (event.kind == "retry") at.push_back(event.at);
  }
  ASSERT_EQ(at.size(), 3U);
  EXPECT_GT(at[2] - at[1], at[1] - at[0]);
}

TEST_F(JobPower, aLookAtABmcThatDoesNotAnswerIsNotRepeated) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::enroll);
  conductor->ledger().edit(uuid).driver_info["fake_fault"] = "unreachable";
  conductor->verb(uuid, "manage", {});
  pass(2);
  EXPECT_EQ(node(uuid).state, State::enroll);
  EXPECT_TRUE(events(uuid, "retry").empty()) << "who asks waits for the answer";
}

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
  EXPECT_THROW(conductor->power(uuid, "power on"), Refusal) << "the person would be told less";
  EXPECT_EQ(node(uuid).instruction.action, "power-on-network");
  pass(301);
  EXPECT_EQ(events(uuid, "reminder").size(), 1U);
  agent_calls(uuid);
  EXPECT_EQ(node(uuid).instruction.action, "");
  EXPECT_EQ(node(uuid).observed, Power::on);
  pass(10);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(node(uuid).instruction.action, "power-on-disk");
  EXPECT_EQ(node(uuid).observed, Power::off);
  conductor->seen("52:54:00:00:00:01", "DHCP", Conductor::Sign::asks);
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

TEST_F(JobPower, aDeploymentWithoutImageIsRefusedAndLeavesTheNodeWhereItIs) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).instance_info = Json::object();
  for (const char* verb : {"deploy", "active"}) {
    try {
      conductor->verb(uuid, verb, {});
      ADD_FAILURE() << "taken";
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.status(), 400);
      EXPECT_NE(std::string(refusal.what()).find("image_source"), std::string::npos);
    }
  }
  EXPECT_EQ(node(uuid).state, State::available);
  EXPECT_EQ(node(uuid).instance_uuid, "");
  set_state(uuid, State::deploy_failed);
  EXPECT_THROW(conductor->verb(uuid, "rebuild", {}), Refusal);
}

TEST_F(JobPower, aHintThatNoRamdiskReadsIsRefusedBeforeAnyMachineIsTouched) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).properties["root_device"] = {{"sise", ">= 200"}};
  EXPECT_THROW(conductor->verb(uuid, "deploy", {}), Refusal);
  EXPECT_EQ(node(uuid).state, State::available);
  for (const auto& [part, why] : conductor->validate(uuid)) {
    if (part == "deploy") {
      EXPECT_EQ(why, "properties: root_device.sise is no hint (do you mean size?)");
    }
  }
  conductor->ledger().edit(uuid).properties["root_device"] = {{"size", ">= 200"}};
  conductor->verb(uuid, "deploy", {});
  EXPECT_EQ(node(uuid).state, State::deploying);
}

TEST_F(JobPower, anImageThatNoMachineCanFetchFailsBeforeAnyMachineIsTouched) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).instance_info["image_source"] = "file:///i.raw";
  EXPECT_THROW(conductor->verb(uuid, "deploy", {}), Refusal);
  pass(1);
  EXPECT_EQ(node(uuid).state, State::available);
  EXPECT_EQ(node(uuid).power, Power::off);
}

}  // namespace
}  // namespace hearth::bootstrap
