// BIOS settings, RAID and firmware as steps: bootstrap/conductor/job_bmc.cpp, bmc_rounds.cpp.
#include <gmock/gmock.h>

#include <set>

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
    // RAID: two drives behind each of two controllers.
    std::vector<Volume> volumes;
    bool at_once = false;  ///< what its controllers are told is done at once; else when it starts anew
    std::string raid_refusal;
    bool loses_answer = false;  ///< to the first order
    bool forgets = false;       ///< says yes to volumes, and makes none
    std::map<std::string, BmcTask> tasks;
    std::vector<std::function<void()>> at_start;
    std::set<std::string> full;  ///< controllers that have something for the next start
    int made = 0, orders = 0;
    // Firmware.
    std::map<std::string, std::string> versions = {{"bios", "1.0"}, {"bmc", "1.0"}};
    std::vector<FirmwareImage> images;
    std::string flash_fault;
    bool tells_tasks = true;
    int away = 0;  ///< so many times is it not reached once it has firmware
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
    for (const auto& deed : std::exchange(machine_.at_start, {})) deed();
    machine_.full.clear();
  }
  void set_boot_device(const Node&, const std::string&, bool) override {}
  [[nodiscard]] Firmware firmware(const Node&) override {
    if (machine_.hangs) throw PowerFault(PowerFault::Reason::unreachable, "no answer");
    Firmware found;
    for (const auto& [name, value] : machine_.settings.items()) found.settings[name] = value;
    for (const auto& [component, version] : machine_.versions) found.parts.push_back({component, version});
    return found;
  }
  void set_bios(const Node&, const Json& settings) override { machine_.pending = settings; }
  void reset_bios(const Node&) override { machine_.pending = {{"Turbo", "Off"}, {"Boost", 1}}; }
  [[nodiscard]] RaidHardware raid(const Node&) override {
    RaidHardware found;
    for (const char* id : {"A", "B"}) {
      found.controllers.push_back({.id = id, .at_start = !machine_.at_once});
      for (const char* drive : {"0", "1"})
        found.drives.push_back({cat(id, drive), cat("/", id, drive), id, "HDD", "SAS", std::uint64_t{100} << 30U});
    }
    found.volumes = machine_.volumes;
    return found;
  }
  BmcOrder create_volume(const Node&, const VolumeWish& wish) override {
    ++machine_.orders;
    const std::string id = cat("v", ++machine_.made);
    return order(wish.controller, [this, wish, id] {
      if (!machine_.forgets) {
        machine_.volumes.push_back({.id = id,
                                    .path = cat("/", id),
                                    .controller = wish.controller,
                                    .name = wish.name,
                                    .raid_type = wish.raid_type,
                                    .bytes = wish.bytes,
                                    .drives = wish.drives,
                                    .wwn = cat("0x600", id)});
      }
    });
  }
  BmcOrder delete_volume(const Node&, const Volume& volume) override {
    ++machine_.orders;
    return order(volume.controller, [this, path = volume.path] {
      std::erase_if(machine_.volumes, [&](const Volume& one) { return one.path == path; });
    });
  }
  BmcOrder update_firmware(const Node&, const FirmwareImage& image) override {
    machine_.images.push_back(image);
    const bool own = image.url.find("bmc") != std::string::npos;
    if (machine_.flash_fault.empty() && own) machine_.versions["bmc"] = "2.0";
    if (!own) machine_.at_start.emplace_back([this] { machine_.versions["bios"] = "2.0"; });
    const std::string path = cat("/flash", machine_.images.size());
    machine_.tasks[path] = {.running = false, .rests = false, .fault = machine_.flash_fault, .of = "/SimpleUpdate"};
    if (std::exchange(machine_.loses_answer, false)) throw PowerFault(PowerFault::Reason::unreachable, "no answer");
    return {path, false};
  }
  [[nodiscard]] std::vector<std::string> tasks(const Node&) override {
    std::vector<std::string> paths;
    for (const auto& [path, task] : machine_.tasks) paths.push_back(path);
    return machine_.tells_tasks ? paths : std::vector<std::string>();
  }
  [[nodiscard]] BmcTask task(const Node&, const std::string& path) override {
    if (machine_.away > 0) {
      --machine_.away;
      throw PowerFault(PowerFault::Reason::unreachable, "no answer");
    }
    return machine_.tasks.at(path);
  }

 private:
  BmcOrder order(const std::string& controller, std::function<void()> deed) {
    if (machine_.at_once) {
      deed();
      if (std::exchange(machine_.loses_answer, false)) throw PowerFault(PowerFault::Reason::unreachable, "no answer");
      return {};
    }
    if (!machine_.full.insert(controller).second)
      throw PowerFault(PowerFault::Reason::busy, "a job waits for the next start");
    const std::string path = cat("/task", machine_.orders);
    machine_.tasks[path] = {.running = true, .rests = true, .fault = ""};
    machine_.at_start.emplace_back([this, path, deed] {
      machine_.tasks[path] = {.running = false, .rests = false, .fault = machine_.raid_refusal};
      if (machine_.raid_refusal.empty()) deed();
    });
    if (std::exchange(machine_.loses_answer, false)) throw PowerFault(PowerFault::Reason::unreachable, "no answer");
    return {path, true};
  }
  Machine& machine_;
};

const Json k_two_disks = Json::parse(R"({"logical_disks": [
  {"raid_level": "1", "size_gb": 50, "controller": "A", "is_root_volume": true, "volume_name": "root"},
  {"raid_level": "0", "size_gb": 80, "controller": "B"}]})");
const Json k_create = {{"interface", "raid"}, {"step", "create_configuration"}};
const Json k_delete = {{"interface", "raid"}, {"step", "delete_configuration"}};

Json update_step(const Json& settings) {
  return {{"interface", "firmware"}, {"step", "update"}, {"args", {{"settings", settings}}}};
}

Json turbo(const char* value) { return {{"settings", {{{"name", "Turbo"}, {"value", value}}}}}; }

Json update_of(const char* component, const char* url) {
  return Json::array({update_step(Json::array({{{"component", component}, {"url", url}}}))});
}

class JobBmc : public ConductorFixture {
 protected:
  JobBmc() { drivers.add("redfish", std::make_unique<BiosDriver>(machine)); }
  /// Its ramdisk calls as often as it is started.
  void go(const std::string& uuid, int seconds = 60) {
    for (int i = 0; i < seconds && node(uuid).job.running(); ++i) {
      pass(1);
      if (node(uuid).job.stage == Stage::await_agent)
        agent_calls(uuid, cat("http://192.0.2.9:", 9000 + machine.starts));
    }
  }
  std::string cleaned(const Json& steps, const Json& raid = Json::object(), int seconds = 60) {
    const std::string uuid = add("redfish");
    conductor->ledger().edit(uuid).target_raid_config = raid;
    set_state(uuid, State::manageable);
    conductor->verb(uuid, "clean", {{"clean_steps", steps}});
    go(uuid, seconds);
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
  const std::string uuid = add("redfish");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "clean",
                  {{"clean_steps", {{{"interface", "bios"}, {"step", "apply_configuration"}, {"args", turbo("On")}}}}});
  for (int i = 0; i < 60 && !node(uuid).job.notes.bmc.is_object(); ++i) go(uuid, 1);
  start();
  go(uuid);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.settings["Turbo"], "On");
}

TEST_F(JobBmc, argumentsThatMakeNoSenseAreRefusedBeforeTheBmcIsTold) {
  for (const Json& arguments : {Json::object(), Json{{"settings", "x"}}, Json{{"settings", {{{"name", "Turbo"}}}}},
                                Json{{"settings", {1, 2}}}, Json{{"settings", Json::array()}, {"more", 1}}}) {
    try {
      cleaned({{{"interface", "bios"}, {"step", "apply_configuration"}, {"args", arguments}}});
      ADD_FAILURE() << "taken: " << format_json(arguments);
    } catch (const Refusal& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr("clean step {")) << format_json(arguments);
    }
    const std::string uuid = conductor->ledger().nodes().begin()->first;
    EXPECT_EQ(node(uuid).state, State::manageable);
    EXPECT_EQ(machine.starts, 0);
    EXPECT_TRUE(machine.pending.empty());
    conductor->ledger().remove(uuid);
  }
}

TEST_F(JobBmc, aDeploymentChangesThemBeforeItsImage) {
  const std::string uuid = add("redfish");
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
  const std::string uuid = add("redfish");
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
  const std::string uuid = add("redfish");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "clean",
                  {{"clean_steps", {{{"interface", "bios"}, {"step", "apply_configuration"}, {"args", turbo("On")}}}}});
  for (int i = 0; i < 60 && !node(uuid).job.notes.bmc.is_object(); ++i) go(uuid, 1);
  machine.hangs = true;
  go(uuid, 8);
  EXPECT_EQ(node(uuid).state, State::cleaning) << node(uuid).last_error;
  machine.hangs = false;
  go(uuid);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
}

TEST_F(JobBmc, volumesAreMadeAtOneStartAndKeptWithTheNode) {
  const std::string uuid = cleaned(Json::array({k_create}), k_two_disks);
  ASSERT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.starts, 2) << "both controllers are told before the machine starts anew";
  Json kept = node(uuid).raid_config;
  EXPECT_FALSE(text_in(kept, "last_updated").empty());
  EXPECT_EQ(kept["logical_disks"], Json::parse(R"([{"id": "v1", "name": "root", "controller": "A", "size_gb": 50,
    "raid_level": "1", "is_root_volume": true, "root_device_hint": {"wwn": "0x600v1"}},
    {"id": "v2", "name": "", "controller": "B", "size_gb": 80, "raid_level": "0"}])"));
  EXPECT_EQ(node(uuid).properties["root_device"], (Json{{"wwn", "0x600v1"}}));
  EXPECT_EQ(node(uuid).properties["local_gb"], 50);
  EXPECT_EQ(node(uuid).capability("raid_level"), "1");
}

TEST_F(JobBmc, whereItIsDoneAtOnceTheMachineIsNotStarted) {
  machine.at_once = true;
  const std::string uuid = cleaned(Json::array({k_create}), k_two_disks);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.starts, 1);
  EXPECT_EQ(machine.volumes.size(), 2U);
}

TEST_F(JobBmc, oldVolumesGoFirstWhereThatIsAskedFor) {
  machine.volumes = {{.id = "old", .path = "/old", .controller = "A", .raid_type = "RAID0", .drives = {"/A0"}},
                     {.id = "older", .path = "/older", .controller = "A", .raid_type = "RAID0", .drives = {"/A1"}}};
  Json step = k_create;
  const std::string kept = cleaned(Json::array({step}), k_two_disks);
  EXPECT_THAT(node(kept).last_error, HasSubstr("failed to find matching physical disks for all logical disks"));
  EXPECT_EQ(machine.orders, 0);
  conductor->ledger().remove(kept);
  step["args"] = {{"delete_existing", true}};
  const std::string uuid = cleaned(Json::array({step}), k_two_disks, 200);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.orders, 4);
  EXPECT_EQ(machine.volumes.size(), 2U);
}

TEST_F(JobBmc, allVolumesAreDeleted) {
  machine.volumes = {{.id = "old", .path = "/old", .controller = "A", .raid_type = "RAID1", .drives = {"/A0", "/A1"}}};
  const std::string uuid = cleaned(Json::array({k_delete}));
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_TRUE(machine.volumes.empty());
  EXPECT_EQ(node(uuid).raid_config["logical_disks"], Json::array());
}

TEST_F(JobBmc, aTaskThatFailsFailsTheStepInTheBmcsWords) {
  machine.raid_refusal = "no licence for RAID";
  const std::string uuid = cleaned(Json::array({k_create}), k_two_disks);
  EXPECT_EQ(node(uuid).state, State::clean_failed);
  EXPECT_EQ(node(uuid).last_error, "step raid.create_configuration failed: no licence for RAID");
}

TEST_F(JobBmc, aBmcThatSaysYesAndMakesNothingIsFoundOut) {
  machine.forgets = true;
  const std::string uuid = cleaned(Json::array({k_create}), k_two_disks, 200);
  EXPECT_EQ(node(uuid).state, State::clean_failed);
  EXPECT_THAT(node(uuid).last_error, HasSubstr("its BMC said yes to a RAID1 volume, and shows none on /A0, /A1"));
}

TEST_F(JobBmc, noVolumeIsMadeTwiceWhereTheAnswerToItsOrderIsLost) {
  machine.at_once = machine.loses_answer = true;
  const std::string uuid = cleaned(Json::array({k_create}), k_two_disks);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.orders, 2);
  EXPECT_EQ(machine.volumes.size(), 2U);
}

TEST_F(JobBmc, anOrderForTheNextStartWhoseAnswerIsLostIsMetByThatStart) {
  machine.loses_answer = true;  // of a volume that is made
  const std::string uuid = cleaned(Json::array({k_create}), k_two_disks);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.volumes.size(), 2U);
  machine.loses_answer = true;  // of one that is deleted
  conductor->verb(uuid, "clean", {{"clean_steps", Json::array({k_delete})}});
  go(uuid);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.volumes.size(), 0U);
  EXPECT_EQ(machine.starts, 4);
}

TEST_F(JobBmc, theNextConductorGoesOnWithVolumesThatWereAskedFor) {
  const std::string uuid = add("redfish");
  conductor->ledger().edit(uuid).target_raid_config = k_two_disks;
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "clean", {{"clean_steps", Json::array({k_create})}});
  for (int i = 0; i < 60 && machine.orders < 1; ++i) go(uuid, 1);
  start();
  go(uuid);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.orders, 2);
}

TEST_F(JobBmc, aDeploymentsRaidIsItsTargetAfterwards) {
  const std::string uuid = add("redfish");
  const Json step = {{"interface", "raid"},
                     {"step", "apply_configuration"},
                     {"priority", 150},
                     {"args", {{"raid_config", k_two_disks}, {"create_nonroot_volumes", false}}}};
  conductor->verb(uuid, "deploy", {{"deploy_steps", Json::array({step})}});
  go(uuid, 200);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(machine.volumes.size(), 1U);
  EXPECT_EQ(node(uuid).target_raid_config, k_two_disks);
}

TEST_F(JobBmc, firmwareOfAllPartsIsBroughtOneAfterTheOther) {
  const std::string uuid =
      cleaned(Json::array({update_step({{{"component", "bmc"}, {"url", "http://192.0.2.1/bmc"}},
                                        {{"component", "bios"}, {"url", "http://192.0.2.1/bios"}}})}));
  ASSERT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.images.size(), 2U);
  EXPECT_EQ(machine.starts, 2) << "for the BIOS only";
  const Json kept = *conductor->ledger().document(cat("firmware/", uuid));
  for (const char* part : {"bios", "bmc"}) {
    EXPECT_EQ(kept[part]["initial_version"], "1.0") << part;
    EXPECT_EQ(kept[part]["current_version"], "2.0") << part;
    EXPECT_EQ(kept[part]["last_version_flashed"], "2.0") << part;
  }
}

TEST_F(JobBmc, firmwareIsGivenOnceWhereTheAnswerToItIsLost) {
  machine.tasks["/of somebody"] = {.running = true, .rests = false, .fault = "", .of = "/Volumes"};
  machine.loses_answer = true;
  const std::string uuid = cleaned(update_of("bios", "http://192.0.2.1/bios"));
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.images.size(), 1U);
  EXPECT_EQ(machine.versions["bios"], "2.0");
  conductor->ledger().remove(uuid);
  // One that tells of no tasks shows by its version that it has been given.
  machine.tells_tasks = false;
  machine.loses_answer = true;
  machine.images.clear();
  const std::string other = cleaned(update_of("bmc", "http://192.0.2.1/bmc"));
  EXPECT_EQ(node(other).state, State::manageable) << node(other).last_error;
  EXPECT_EQ(machine.images.size(), 1U);
}

TEST_F(JobBmc, aBmcThatIsAwayForItsFirmwareIsWaitedFor) {
  machine.away = 20;
  const std::string uuid = cleaned(update_of("bmc", "http://192.0.2.1/bmc"));
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(machine.away, 0);
}

TEST_F(JobBmc, firmwareThatIsNotTakenFailsTheStepAndThatOfNoPartIsNotFetched) {
  machine.flash_fault = "bad signature";
  const std::string uuid = cleaned(update_of("bmc", "http://192.0.2.1/bmc"));
  EXPECT_EQ(node(uuid).last_error, "step firmware.update failed: bad signature");
  conductor->ledger().remove(uuid);
  const std::string other = cleaned(update_of("nic:7", "http://192.0.2.1/nic"));
  EXPECT_THAT(node(other).last_error,
              HasSubstr("its BMC shows no firmware of nic:7; of what it shows firmware: bios, bmc"));
  EXPECT_EQ(machine.images.size(), 1U);
}

TEST_F(JobBmc, aMachineThatStartsByItselfWhileItsBmcIsAtWorkGoesOn) {
  machine.tasks["/task1"] = {.running = true, .rests = false, .fault = ""};
  const std::string uuid = add("redfish");
  conductor->ledger().edit(uuid).target_raid_config = k_two_disks;
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "clean", {{"clean_steps", Json::array({k_create})}});
  for (int i = 0; i < 60 && machine.starts < 2; ++i) go(uuid, 1);
  machine.tasks["/task1"] = {.running = true, .rests = false, .fault = ""};
  for (int i = 0; i < 20 && node(uuid).job.stage != Stage::run_steps; ++i) go(uuid, 1);
  conductor->seen("52:54:00:00:00:01", "dhcp DISCOVER", Conductor::Sign::boots);
  EXPECT_EQ(node(uuid).state, State::clean_wait) << node(uuid).last_error;
  machine.tasks["/task1"].running = false;
  go(uuid);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
}

}  // namespace
}  // namespace hearth::bootstrap
