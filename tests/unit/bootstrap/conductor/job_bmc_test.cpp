// BIOS settings as steps: bootstrap/conductor/job_bmc.cpp.
#include <gmock/gmock.h>

#include "bootstrap/conductor/deploy_steps.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

using testing::HasSubstr;

/// A machine whose BIOS takes at its start what it was told, but for what it refuses.
class BiosDriver final : public PowerDriver {
 public:
  struct Machine {
    Power power = Power::off;
    Json settings = {{"Turbo", "Off"}, {"Boost", 1}};
    Json pending = Json::object();
    std::string deaf_to;
    int starts = 0;
    bool hangs = false;
  };
  explicit BiosDriver(Machine& machine) : machine_(machine) {}
  [[nodiscard]] std::vector<std::string> missing(const Node&) const override { return {}; }
  [[nodiscard]] Power state(const Node&) override { return machine_.power; }
  void set(const Node&, PowerAction action) override {
    machine_.power = action == PowerAction::on ? Power::on : Power::off;
    if (action != PowerAction::on) return;
    ++machine_.starts;
    machine_.pending.erase(machine_.deaf_to);
    machine_.settings.update(std::exchange(machine_.pending, Json::object()));
  }
  void set_boot_device(const Node&, const std::string&, bool) override {}
  [[nodiscard]] Firmware firmware(const Node&) override {
    if (machine_.hangs) throw PowerFault(PowerFault::Reason::unreachable, "no answer");
    Firmware found;
    for (const auto& [name, value] : machine_.settings.items()) found.settings[name] = value;
    return found;
  }
  [[nodiscard]] bool changes_bios() const override { return true; }
  void set_bios(const Node&, const Json& settings) override { machine_.pending = settings; }
  void reset_bios(const Node&) override { machine_.pending = {{"Turbo", "Off"}, {"Boost", 1}}; }

 private:
  Machine& machine_;
};

Json turbo(const char* value) { return {{"settings", {{{"name", "Turbo"}, {"value", value}}}}}; }

class JobBmc : public ConductorFixture {
 protected:
  JobBmc() { drivers.add("bios", std::make_unique<BiosDriver>(machine)); }
  /// Its ramdisk calls as often as it is started.
  void go(const std::string& uuid, int seconds = 60) {
    for (int i = 0; i < seconds && node(uuid).job.running(); ++i) {
      pass(1);
      if (node(uuid).job.stage == "await agent") agent_calls(uuid, cat("http://192.0.2.9:", 9000 + machine.starts));
    }
  }
  std::string cleaned(const Json& steps) {
    const std::string uuid = add("bios");
    set_state(uuid, State::manageable);
    conductor->verb(uuid, "clean", {{"clean_steps", steps}});
    go(uuid);
    return uuid;
  }
  BiosDriver::Machine machine;
};

TEST_F(JobBmc, settingsHoldAfterAStartAndAreLookedAtAndTheNextStepFollows) {
  const std::string uuid = cleaned({{{"interface", "bios"}, {"step", "apply_configuration"}, {"args", turbo("On")}},
                                    {{"interface", "deploy"}, {"step", "erase_devices"}}});
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.settings["Turbo"], "On");
  EXPECT_EQ(machine.starts, 2);
  EXPECT_EQ(agents.count("clean.execute_clean_step"), 1U) << "the agent is told of its own step only";
  EXPECT_EQ(conductor->ledger().document(cat("bios/", uuid))->at("settings")["Turbo"], "On");
}

TEST_F(JobBmc, whatTheBiosDoesNotTakeFailsTheStep) {
  machine.deaf_to = "Turbo";
  const std::string uuid = cleaned({{{"interface", "bios"}, {"step", "apply_configuration"}, {"args", turbo("On")}}});
  EXPECT_EQ(node(uuid).state, State::clean_failed);
  EXPECT_EQ(node(uuid).last_error,
            R"(Redfish BIOS apply_configuration step failed. Attributes {"Turbo":"On"} are not updated.)");
}

TEST_F(JobBmc, aResetIsTheManufacturersSettings) {
  machine.settings = {{"Turbo", "On"}, {"Boost", 9}};
  const std::string uuid = cleaned({{{"interface", "bios"}, {"step", "factory_reset"}}});
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.settings, (Json{{"Turbo", "Off"}, {"Boost", 1}}));
}

TEST_F(JobBmc, theNextConductorGoesOnBetweenTheTwo) {
  const std::string uuid = add("bios");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "clean",
                  {{"clean_steps", {{{"interface", "bios"}, {"step", "apply_configuration"}, {"args", turbo("On")}}}}});
  for (int i = 0; i < 60 && !node(uuid).job.notes.contains("bios"); ++i) go(uuid, 1);
  start();
  go(uuid);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.settings["Turbo"], "On");
}

TEST_F(JobBmc, argumentsThatMakeNoSenseAreRefusedBeforeTheBmcIsTold) {
  for (const Json& arguments : {Json::object(), Json{{"settings", "x"}}, Json{{"settings", {{{"name", "Turbo"}}}}},
                                Json{{"settings", {1, 2}}}, Json{{"settings", Json::array()}, {"more", 1}}}) {
    const std::string uuid = cleaned({{{"interface", "bios"}, {"step", "apply_configuration"}, {"args", arguments}}});
    EXPECT_EQ(node(uuid).state, State::clean_failed);
    EXPECT_THAT(node(uuid).last_error, HasSubstr("clean step {")) << format_json(arguments);
    EXPECT_TRUE(machine.pending.empty());
    conductor->ledger().remove(uuid);
  }
}

TEST_F(JobBmc, aDeploymentChangesThemBeforeItsImage) {
  const std::string uuid = add("bios");
  const Json step = {{"interface", "bios"}, {"step", "apply_configuration"}, {"priority", 150}, {"args", turbo("On")}};
  conductor->verb(uuid, "deploy", {{"deploy_steps", {step}}});
  go(uuid, 200);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(machine.settings["Turbo"], "On");
  EXPECT_EQ(machine.starts, 3) << "two ramdisks and the disk";
  EXPECT_EQ(agents.count("deploy.execute_deploy_step"), 1U) << "one image";
  set_state(uuid, State::available);
  Json late = step;
  late["priority"] = 30;
  conductor->verb(uuid, "deploy", {{"deploy_steps", {late}}});
  go(uuid);
  EXPECT_THAT(node(uuid).last_error, HasSubstr("on interface bios has the priority 30"));
}

TEST_F(JobBmc, whatItsBmcIsToldIsNotForAMachineToSay) {
  const auto offers = [](const std::string& kind, int priority) {
    const Json reset = {{"interface", "bios"}, {"step", "factory_reset"}, {"priority", priority}};
    return Json{{kind + "_steps", {{"M", {reset}}}}};
  };
  machine.settings = {{"Turbo", "On"}, {"Boost", 9}};
  const Json before = machine.settings;
  agents.offered = offers("clean", 99);
  const std::string uuid = add("bios");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "provide", Json());
  go(uuid);
  EXPECT_EQ(node(uuid).state, State::available) << node(uuid).last_error;
  agents.offered = offers("deploy", 150);
  conductor->verb(uuid, "deploy", Json());
  go(uuid, 200);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(machine.settings, before);
}

TEST_F(JobBmc, aBmcThatIsAwayAfterTheStartIsAskedAgain) {
  const std::string uuid = add("bios");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "clean",
                  {{"clean_steps", {{{"interface", "bios"}, {"step", "apply_configuration"}, {"args", turbo("On")}}}}});
  for (int i = 0; i < 60 && !node(uuid).job.notes.contains("bios"); ++i) go(uuid, 1);
  machine.hangs = true;
  go(uuid, 8);
  EXPECT_EQ(node(uuid).state, State::cleaning) << node(uuid).last_error;
  machine.hangs = false;
  go(uuid);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
}

}  // namespace
}  // namespace hearth::bootstrap
