// What a machine's management is asked for, and how its answers and refusals come back.
#include "bootstrap/gate/answer.hpp"
#include "tests/unit/bootstrap/api_fixture.hpp"

namespace hearth::bootstrap {
namespace {

/// Management that has all there is, or is dead.
class Machine final : public PowerDriver {
 public:
  [[nodiscard]] std::vector<std::string> missing(const Node&) const override { return {}; }
  [[nodiscard]] Power state(const Node&) override { return Power::off; }
  void set(const Node&, PowerAction) override {}
  void set_boot_device(const Node&, const std::string& wish, bool persistent) override {
    check();
    device = {wish, persistent};
  }
  [[nodiscard]] std::optional<BootDevice> boot_device(const Node&) override {
    check();
    return device;
  }
  [[nodiscard]] Firmware firmware(const Node&) override {
    return {mode, secure, {{"Hyper", "On"}, {"Fans", 3}}, parts};
  }
  void set_boot_mode(const Node&, const std::string& wish) override {
    check();
    mode = wish;
  }
  void set_secure_boot(const Node&, bool on) override { secure = on; }
  void inject_nmi(const Node&) override {
    check();
    ++interrupts;
  }

  bool dead = false;
  BootDevice device;
  std::string mode = "bios";
  bool secure = false;
  std::vector<FirmwarePart> parts;
  int interrupts = 0;

 private:
  void check() const {
    if (dead) throw PowerFault(PowerFault::Reason::unreachable, "BMC 192.0.2.5: no answer");
  }
};

class ManagementCalls : public ApiFixture {
 protected:
  ManagementCalls() {
    auto own = std::make_unique<Machine>();
    machine = own.get();
    drivers.add("redfish", std::move(own));
    uuid = add("redfish");
  }

  /// As a server does: nothing is answered before the management has.
  Said held(const std::string& method, const std::string& path, const Json& body = Json(), bool forget = false) {
    ServedRequest request;
    request.method = method;
    request.target = request.path = request.raw_path = path;
    request.headers = {{"Host", "192.0.2.1:6385"}, {"X-OpenStack-Ironic-API-Version", "1.78"}};
    request.body = body.is_null() ? "" : body.dump();
    int woken = 0;
    IronicApi api(*conductor, IronicApi::Faces::all, log);
    std::unique_ptr<HeldAnswer> answer = api.hold(request, {Role::operate, "op"});
    if (!answer) return {0, Json(), {}};
    answer->start([&] { ++woken; });
    if (forget) answer.reset();
    early = woken;
    pass(2);
    if (forget) return {woken, Json(), {}};
    EXPECT_EQ(woken, 1);
    const ServedResponse response = answer->answer().value();
    return {response.status, response.body.empty() ? Json() : Json::parse(response.body), response.headers};
  }
  Machine* machine = nullptr;
  std::string uuid;
  int early = 0;  ///< how often it was woken before anything was done
};

TEST_F(ManagementCalls, theBootDeviceIsAnsweredWhenTheMachineHas) {
  EXPECT_EQ(
      held("PUT", "/v1/nodes/web1/management/boot_device", {{"boot_device", "pxe"}, {"persistent", "True"}}).status,
      204);
  EXPECT_EQ(early, 0);
  EXPECT_TRUE(machine->device.persistent);
  machine->device = {"disk", false};  // somebody did it at the machine's own page
  const Said shown = held("GET", "/v1/nodes/web1/management/boot_device");
  EXPECT_EQ(shown.body, (Json{{"boot_device", "disk"}, {"persistent", false}}));
  EXPECT_EQ(find_header(shown.headers, "X-OpenStack-Ironic-API-Version"), "1.78");
}

TEST_F(ManagementCalls, aDeadMachinesBootDeviceIsNeverSaidToBeSet) {
  machine->dead = true;
  const Said set = held("PUT", "/v1/nodes/web1/management/boot_device", {{"boot_device", "pxe"}});
  EXPECT_EQ(set.status, 500);
  EXPECT_EQ(set.fault(), "BMC 192.0.2.5: no answer");
  EXPECT_EQ(node(uuid).boot_device, "");
  EXPECT_EQ(held("GET", "/v1/nodes/web1/management/boot_device").status, 500);
}

TEST_F(ManagementCalls, whatIsRefusedAtOnceDoesNotWait) {
  EXPECT_EQ(held("PUT", "/v1/nodes/web1/management/boot_device", {{"boot_device", "tape"}}).status, 400);
  EXPECT_EQ(early, 1);
  EXPECT_EQ(held("PUT", "/v1/nodes/nobody/management/inject_nmi").status, 404);
  EXPECT_EQ(held("GET", "/v1/nodes/web1").status, 0);  // nothing to wait for: it is not held
}

TEST_F(ManagementCalls, aClientThatHasGoneIsNotWokenAndTheWorkIsDone) {
  EXPECT_EQ(held("PUT", "/v1/nodes/web1/management/inject_nmi", Json::object(), true).status, 0);
  EXPECT_EQ(machine->interrupts, 1);
}

TEST_F(ManagementCalls, aNodeThatIsDeletedMeanwhileKeepsNobodyWaiting) {
  int woken = 0;
  const auto answer = std::make_shared<BmcAnswer>([&] { ++woken; });
  conductor->inject_nmi(uuid, answer->asked());
  answer->begin(empty_answer(204));
  conductor->ledger().remove(uuid);
  pass(2);
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(answer->response()->status, 500);
}

TEST_F(ManagementCalls, interruptsAreSentOrRefusedInIronicsWords) {
  EXPECT_EQ(held("PUT", "/v1/nodes/web1/management/inject_nmi", Json::object()).status, 204);
  EXPECT_EQ(machine->interrupts, 1);
  drivers.add("none", std::make_unique<ManualDriver>());
  conductor->ledger().edit(uuid).driver = "none";
  const Said refused = held("PUT", "/v1/nodes/web1/management/inject_nmi", Json::object());
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.fault(), "Driver none does not support inject_nmi (disabled or not implemented).");
}

TEST_F(ManagementCalls, bootModeAndSecureBootAreChangedAndShown) {
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/boot_mode", {{"target", "uefi"}}).status, 202);
  pass(1);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/secure_boot", {{"target", "true"}}).status, 202);
  pass(1);
  const Json states = ask("GET", "/v1/nodes/web1/states").body;
  EXPECT_EQ(states["boot_mode"], "uefi");
  EXPECT_EQ(states["secure_boot"], true);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1").body["secure_boot"], true);
  EXPECT_FALSE(ask("GET", "/v1/nodes/web1/states", Json(), "1.74").body.contains("boot_mode"));
  machine->dead = true;
  ask("PUT", "/v1/nodes/web1/states/boot_mode", {{"target", "bios"}});
  pass(1);
  EXPECT_EQ(node(uuid).last_error, "Failed to change boot mode to 'bios': BMC 192.0.2.5: no answer");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/states").body["boot_mode"], "uefi");
}

TEST_F(ManagementCalls, whatMakesNoSenseIsRefusedBeforeTheMachineIsAsked) {
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/boot_mode", {{"target", "coreboot"}}).fault(),
            "Invalid boot mode coreboot requested for node. Allowed boot modes are: bios, uefi");
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/secure_boot", {{"target", "perhaps"}}).status, 400);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/boot_mode", {{"target", "uefi"}}, "1.75").status, 404);
  set_state(uuid, State::deploying);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/boot_mode", {{"target", "uefi"}}).status, 409);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/secure_boot", {{"target", true}}).status, 409);
  pass(1);
  EXPECT_EQ(machine->mode, "bios");
}

TEST_F(ManagementCalls, biosSettingsAreThoseThatTheMachineToldWhenItBecameManageable) {
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/bios").body, (Json{{"bios", Json::array()}}));
  set_state(uuid, State::enroll);
  conductor->verb(uuid, "manage", Json::object());
  pass(2);
  ASSERT_EQ(node(uuid).state, State::manageable);
  const Json list = ask("GET", "/v1/nodes/web1/bios").body["bios"];
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1]["name"], "Hyper");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/bios/Fans").body["Fans"]["value"], "3");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/bios/None").fault(), cat("Node ", uuid, " doesn't have a BIOS setting 'None'"));
  EXPECT_EQ(node(uuid).internal["firmware"]["boot_mode"], "bios");
}

TEST_F(ManagementCalls, whatNoDriverHasIsRefusedAsIronicsEmptyInterfacesDo) {
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/console", {{"enabled", true}}).fault(),
            "Driver redfish does not support console (disabled or not implemented).");
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/console", Json::object()).status, 400);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/vendor_passthru/methods").body, Json::object());
  EXPECT_EQ(ask("POST", "/v1/nodes/web1/vendor_passthru/heat", Json::object()).fault(), "No handler for method heat");
  EXPECT_EQ(ask("GET", "/v1/drivers/redfish/vendor_passthru/methods").body, Json::object());
  EXPECT_EQ(ask("POST", "/v1/drivers/redfish/vendor_passthru?method=x", Json::object()).status, 400);
  EXPECT_EQ(ask("GET", "/v1/drivers/fake-hardware/raid/logical_disk_properties").fault(),
            "Driver fake-hardware does not support raid (disabled or not implemented).");
  add("fake-hardware", "52:54:00:00:00:09", "plain");
  EXPECT_EQ(ask("PUT", "/v1/nodes/plain/states/raid", Json::object()).status, 404);
}

TEST_F(ManagementCalls, aConsoleIsOnWhereItsInterfaceHasOne) {
  drivers.add("ipmi", std::make_unique<Machine>());
  add("ipmi", "52:54:00:00:00:09", "i1");
  const auto set = [&](const char* node, const char* value) {
    return ask("PATCH", cat("/v1/nodes/", node), {{{"op", "add"}, {"path", "/console_interface"}, {"value", value}}});
  };
  const std::string target = "/v1/nodes/i1/states/console";
  EXPECT_EQ(ask("PUT", target, {{"enabled", true}}).fault(),
            "Driver ipmi does not support console (disabled or not implemented).");
  EXPECT_EQ(set("web1", "ipmitool-socat").fault(),
            "console interface implementation 'ipmitool-socat' is not supported by hardware type redfish.");
  EXPECT_EQ(set("i1", "ipmitool-socat").status, 200);
  EXPECT_EQ(ask("GET", target).body, (Json{{"console_enabled", false}, {"console_info", nullptr}}));
  EXPECT_EQ(ask("PUT", target, {{"enabled", true}}).status, 202);
  const Json shown = ask("GET", target).body;
  EXPECT_EQ(shown["console_enabled"], true);
  EXPECT_EQ(shown["console_info"]["type"], "socat");
  EXPECT_NE(text_in(shown["console_info"], "url").find("unix://"), std::string::npos);
  start();
  EXPECT_EQ(ask("GET", "/v1/nodes/i1").body["console_enabled"], true) << "kept";
  EXPECT_EQ(ask("GET", "/v1/nodes/i1/validate").body["console"]["result"], true);
  EXPECT_EQ(ask("PUT", target, {{"enabled", false}}).status, 202);
  EXPECT_EQ(ask("GET", target).body["console_enabled"], false);
}

TEST_F(ManagementCalls, aTargetForRaidIsKeptWhereThereIsRaid) {
  const Json config = Json::parse(R"({"logical_disks": [{"raid_level": "1", "size_gb": "MAX"}]})");
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/raid", config).status, 204);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1").body["target_raid_config"], config);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/states").body["target_raid_config"], config);
  start();
  EXPECT_EQ(ask("GET", "/v1/nodes/web1").body["target_raid_config"], config) << "kept";
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/raid", {{"logical_disks", Json::array()}}).fault(),
            "RAID config validation error: [] is too short");
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/raid", Json::object()).status, 204);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1").body["target_raid_config"], Json::object());
  const Json patch = {{{"op", "replace"}, {"path", "/target_raid_config"}, {"value", config}}};
  EXPECT_EQ(ask("PATCH", "/v1/nodes/web1", patch).status, 400) << "as in Ironic: by its own call only";
  EXPECT_TRUE(ask("GET", "/v1/drivers/redfish/raid/logical_disk_properties").body.contains("is_root_volume"));
}

TEST_F(ManagementCalls, interfacesAreWhatTheDriverHasOrIsToldNotToHave) {
  const auto set = [&](const char* field, const char* value) {
    return ask("PATCH", "/v1/nodes/web1", {{{"op", "add"}, {"path", cat("/", field)}, {"value", value}}});
  };
  EXPECT_EQ(ask("GET", "/v1/nodes/web1").body["raid_interface"], "redfish");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/validate").body["raid"]["result"], true);
  EXPECT_EQ(set("raid_interface", "agent").fault(),
            "Could not find the following interface in the 'ironic.hardware.interfaces.raid' entrypoint: agent. Valid "
            "interfaces are ['no-raid', 'redfish'].");
  EXPECT_EQ(set("console_interface", "ipmitool-socat").status, 400);
  EXPECT_EQ(
      set("storage_interface", "cinder").fault(),
      "Could not find the following interface in the 'ironic.hardware.interfaces.storage' entrypoint: cinder. Valid "
      "interfaces are ['noop'].");
  EXPECT_EQ(set("storage_interface", "noop").status, 200);
  EXPECT_EQ(set("raid_interface", "no-raid").status, 200);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1").body["raid_interface"], "no-raid");
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/raid", Json::object()).status, 404);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/validate").body["raid"]["result"], nullptr);
  add("fake-hardware", "52:54:00:00:00:09", "plain");
  EXPECT_EQ(ask("GET", "/v1/nodes/plain").body["bios_interface"], "no-bios");
  EXPECT_EQ(
      ask("PATCH", "/v1/nodes/plain", {{{"op", "add"}, {"path", "/bios_interface"}, {"value", "redfish"}}}).fault(),
      "bios interface implementation 'redfish' is not supported by hardware type fake-hardware.");
}

TEST_F(ManagementCalls, firmwareIsListedAsItWasToldAndSinceItsVersion) {
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/firmware", Json(), "1.86").body, (Json{{"firmware", Json::array()}}));
  machine->parts = {{"bios", "1.0"}};
  for (const char* version : {"1.0", "1.1"}) {
    machine->parts[0].version = version;
    set_state(uuid, State::enroll);
    conductor->verb(uuid, "manage", Json::object());
    pass(2);
  }
  const Json list = ask("GET", "/v1/nodes/web1/firmware", Json(), "1.86").body["firmware"];
  EXPECT_EQ(list, Json::parse(R"([{"component": "bios", "initial_version": "1.0", "current_version": "1.1",
    "last_version_flashed": "1.1"}])"));
  EXPECT_TRUE(
      ask("GET", "/v1/nodes/web1/firmware?detail=true", Json(), "1.86").body["firmware"][0].contains("updated_at"));
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/firmware?fields=component", Json(), "1.86").body["firmware"][0],
            (Json{{"component", "bios"}}));
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/firmware", Json(), "1.85").fault(),
            "The API version does not allow node firmware");
  EXPECT_FALSE(ask("GET", "/v1/nodes/web1", Json(), "1.85").body.contains("firmware_interface"));
}

TEST_F(ManagementCalls, partsOfAMachineAreListedWithItWhereTheyAreAskedFor) {
  const std::string part = add("fake-hardware", "52:54:00:00:00:09", "part");
  EXPECT_EQ(
      ask("PATCH", "/v1/nodes/part", {{{"op", "add"}, {"path", "/parent_node"}, {"value", "web1"}}}, "1.83").status,
      200);
  const auto names = [&](const char* query) {
    const Said said = ask("GET", cat("/v1/nodes", query), Json(), "1.83");
    std::string found;
    for (const Json& row : said.body["nodes"]) found += text_in(row, "name");
    return found;
  };
  EXPECT_EQ(names(""), "web1");
  EXPECT_EQ(names("?include_children=true").size(), 8U);
  EXPECT_EQ(names(cat("?parent_node=", uuid).c_str()), "part");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/children", Json(), "1.83").body, (Json{{"children", {part}}}));
  EXPECT_EQ(ask("PATCH", "/v1/nodes/part", {{{"op", "add"}, {"path", "/parent_node"}, {"value", "none"}}}).status, 400);
}

TEST_F(ManagementCalls, lookingIsNotActing) {
  const Caller reader{Role::read, "r"};
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/boot_mode", {{"target", "uefi"}}, "1.78", "192.0.2.9", reader).status,
            403);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/management/inject_nmi", Json(), "1.78", "192.0.2.9", reader).status, 403);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/bios", Json(), "1.78", "192.0.2.9", reader).status, 200);
  pass(1);
  EXPECT_EQ(machine->interrupts, 0);
}

}  // namespace
}  // namespace hearth::bootstrap
