#include "bootstrap/power/redfish_driver.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/power/driver_keys.hpp"

namespace hearth::bootstrap {

namespace {

using Reason = PowerFault::Reason;

std::vector<std::string> strings(const Json& object, const char* key) {
  std::vector<std::string> found;
  for (const Json& value : list_member(object, key)) found.push_back(text_of(value));
  return found;
}

Json reset_action(const Json& system) {
  return object_member(object_member(system, "Actions"), "#ComputerSystem.Reset");
}

/// Whether the machine's power is `wanted`, or comes to be so in time.
bool becomes(RedfishSession& session, const std::string& path, Power wanted, Duration patience, Clock& clock) {
  const Deadline deadline = Deadline::after(patience, clock);
  while (redfish_power(session.get(path)) != wanted) {
    if (deadline.passed(clock.now())) return false;
    clock.sleep(std::chrono::milliseconds(500));
  }
  return true;
}

/// What a BMC refuses since "it is so already" (400 with some, 409 with others) is done: the power tells it, which some
/// tell some seconds late. Else it is refused, for the BMC's reason.
void reset(RedfishSession& session, const Json& system, const std::string& path, const std::vector<std::string>& wishes,
           Power wanted, Clock& clock) {
  const std::string type = allowed_reset(system, wishes);
  if (type.empty()) throw PowerFault(Reason::failed, cat("the BMC allows none of: ", join(wishes, ", ")));
  const std::string target = text_in(reset_action(system), "target", cat(path, "/Actions/ComputerSystem.Reset"));
  try {
    session.post(target, {{"ResetType", type}});
  } catch (const PowerFault& fault) {
    if (fault.reason() != Reason::failed || !becomes(session, path, wanted, std::chrono::seconds(5), clock)) throw;
  }
}

void wait_until(RedfishSession& session, const std::string& path, Power wanted, Clock& clock) {
  constexpr auto k_patience = std::chrono::seconds(60);
  if (becomes(session, path, wanted, k_patience, clock)) return;
  throw PowerFault(Reason::failed,
                   cat("the BMC said yes, but the machine is still ", wanted == Power::on ? "off" : "on"));
}

const std::map<std::string, std::vector<std::string>>& boot_targets() {
  static const std::map<std::string, std::vector<std::string>> names = {
      {"pxe", {"Pxe", "UefiHttp"}}, {"disk", {"Hdd"}}, {"cdrom", {"Cd"}}, {"bios", {"BiosSetup"}}};
  return names;
}

std::string boot_target(const std::string& device, const std::vector<std::string>& allowed) {
  const auto known = boot_targets().find(device);
  if (known == boot_targets().end()) throw PowerFault(Reason::failed, cat("Redfish has no boot device ", device));
  if (allowed.empty()) return known->second.front();
  for (const std::string& name : known->second) {
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) return name;
  }
  throw PowerFault(Reason::failed,
                   cat("the BMC can't boot from ", device, "; it can from ", words_of_bmc(join(allowed, ", "))));
}

/// Puts the node's ISO into the machine's virtual drive.
void insert_media(RedfishSession& session, const Json& system, const std::string& url) {
  const Json& managers = list_member(object_member(system, "Links"), "ManagedBy");
  if (managers.empty()) throw PowerFault(Reason::failed, "the system names no manager: there is no virtual media");
  const Json manager = session.get(text_in(managers[0], "@odata.id"));
  const Json collection = session.get(text_in(object_member(manager, "VirtualMedia"), "@odata.id"));
  for (const Json& member : list_member(collection, "Members")) {
    const Json media = session.get(text_in(member, "@odata.id"));
    const std::vector<std::string> types = strings(media, "MediaTypes");
    if (std::find(types.begin(), types.end(), "CD") == types.end() &&
        std::find(types.begin(), types.end(), "DVD") == types.end())
      continue;
    const Json& actions = object_member(media, "Actions");
    if (member_or_null(media, "Inserted") == Json(true)) {
      session.post(text_in(object_member(actions, "#VirtualMedia.EjectMedia"), "target"), Json::object());
    }
    session.post(text_in(object_member(actions, "#VirtualMedia.InsertMedia"), "target"),
                 {{"Image", url}, {"Inserted", true}, {"WriteProtected", true}});
    return;
  }
  throw PowerFault(Reason::failed, "the machine has no virtual CD drive");
}

/// For what is to be done with it, in Ironic's words.
Json bios_of(RedfishSession& session, const char* what) {
  Json bios = session.linked(session.get(session.system_path()), "Bios");
  if (object_member(bios, "Attributes").empty()) {
    throw PowerFault(Reason::unsupported,
                     cat("Redfish BIOS ", what, " failed, because BIOS settings are not supported"));
  }
  return bios;
}

/// Its BIOS, its BMC, and its network adapters, which not all BMCs show at all times.
std::vector<FirmwarePart> parts_of_machine(RedfishSession& session, const Json& system) {
  std::vector<FirmwarePart> parts;
  const auto add = [&parts](const std::string& component, const std::string& version) {
    if (!version.empty()) parts.push_back({words_of_bmc(component), words_of_bmc(version)});
  };
  add("bios", text_in(system, "BiosVersion"));
  const Json& links = object_member(system, "Links");
  const auto first = [&](const char* key) {
    const Json& list = list_member(links, key);
    return list.empty() ? Json() : session.get_if_there(text_in(list[0], "@odata.id"));
  };
  try {
    add("bmc", text_in(first("ManagedBy"), "FirmwareVersion"));
    const Json adapters = session.linked(first("Chassis"), "NetworkAdapters");
    for (const Json& adapter : session.members(adapters)) {
      for (const Json& controller : list_member(adapter, "Controllers")) {
        add(cat("nic:", text_in(adapter, "SerialNumber", text_in(adapter, "Id"))),
            text_in(controller, "FirmwarePackageVersion"));
      }
    }
  } catch (const PowerFault& fault) {
    if (fault.reason() != Reason::failed) throw;
  }
  return parts;
}

std::optional<std::string> boot_mode_of(const Json& system) {
  const std::string mode = text_in(object_member(system, "Boot"), "BootSourceOverrideMode");
  if (mode == "UEFI") return "uefi";
  if (mode == "Legacy") return "bios";
  return std::nullopt;
}

}  // namespace

Power redfish_power(const Json& system) {
  const std::string state = text_in(system, "PowerState");
  if (state == "On" || state == "PoweringOn") return Power::on;
  if (state == "Off" || state == "PoweringOff") return Power::off;
  throw PowerFault(Reason::failed, cat("the BMC does not tell the power: \"", words_of_bmc(state), "\""));
}

std::string allowed_reset(const Json& system, const std::vector<std::string>& wishes) {
  const std::vector<std::string> allowed = strings(reset_action(system), "ResetType@Redfish.AllowableValues");
  for (const std::string& wish : wishes) {
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), wish) != allowed.end()) return wish;
  }
  return "";
}

RedfishDriver::~RedfishDriver() { RedfishSession::end_all(http_, clock_, sessions_); }

std::vector<std::string> RedfishDriver::missing(const Node& node) const {
  std::vector<std::string> missing = driver_key_faults(node, "redfish");
  if (driver_setting(node, "redfish_address").find(' ') != std::string::npos)
    missing.emplace_back("redfish_address is no URL.");
  return missing;
}

Power RedfishDriver::state(const Node& node) {
  RedfishSession session(http_, clock_, node, sessions_);
  return redfish_power(session.get(session.system_path()));
}

void RedfishDriver::set(const Node& node, PowerAction action) {
  RedfishSession session(http_, clock_, node, sessions_);
  const std::string path = session.system_path();
  const Json system = session.get(path);
  const Power before = redfish_power(system);
  const bool off = action == PowerAction::off || action == PowerAction::soft_off;
  if ((off && before == Power::off) || (action == PowerAction::on && before == Power::on)) return;
  if (before == Power::on && is_soft(action))
    return reset(session, system, path, {"GracefulShutdown", "PushPowerButton"}, Power::off, clock_);
  if (before == Power::on) {
    reset(session, system, path, {"ForceOff"}, Power::off, clock_);
    wait_until(session, path, Power::off, clock_);
  }
  if (off) return;
  reset(session, system, path, {"On", "ForceOn", "PushPowerButton"}, Power::on, clock_);
  wait_until(session, path, Power::on, clock_);
}

void RedfishDriver::set_boot_device(const Node& node, const std::string& device, bool persistent) {
  RedfishSession session(http_, clock_, node, sessions_);
  const std::string path = session.system_path();
  const Json system = session.get(path);
  const Json& boot = object_member(system, "Boot");
  if (const std::string iso = driver_setting(node, "redfish_virtual_media"); device == "cdrom" && !iso.empty())
    insert_media(session, system, iso);
  Json wish = {{"BootSourceOverrideTarget",
                boot_target(device, strings(boot, "BootSourceOverrideTarget@Redfish.AllowableValues"))},
               {"BootSourceOverrideEnabled", persistent ? "Continuous" : "Once"}};
  // Only where the node says how it boots, and the BMC has the choice at all.
  if (node.capability("boot_mode") && boot.contains("BootSourceOverrideMode")) {
    wish["BootSourceOverrideMode"] = node.boots_uefi() ? "UEFI" : "Legacy";
  }
  try {
    session.patch(path, {{"Boot", wish}});
  } catch (const PowerFault& fault) {
    if (fault.reason() != Reason::failed) throw;
    // Some refuse Continuous, some to be told the mode.
    wish.erase("BootSourceOverrideMode");
    wish["BootSourceOverrideEnabled"] = "Once";
    static_cast<void>(session.get(path));
    session.patch(path, {{"Boot", wish}});
  }
}

std::optional<BootDevice> RedfishDriver::boot_device(const Node& node) {
  RedfishSession session(http_, clock_, node, sessions_);
  const Json boot = object_member(session.get(session.system_path()), "Boot");
  const std::string enabled = text_in(boot, "BootSourceOverrideEnabled");
  if (enabled != "Once" && enabled != "Continuous") return BootDevice{};
  for (const auto& [device, targets] : boot_targets()) {
    for (const std::string& target : targets) {
      if (text_in(boot, "BootSourceOverrideTarget") == target) return BootDevice{device, enabled == "Continuous"};
    }
  }
  return BootDevice{};
}

Firmware RedfishDriver::firmware(const Node& node) {
  RedfishSession session(http_, clock_, node, sessions_);
  const Json system = session.get(session.system_path());
  Firmware found{
      .boot_mode = boot_mode_of(system), .secure_boot = {}, .settings = {}, .parts = parts_of_machine(session, system)};
  const Json secure = session.linked(system, "SecureBoot");
  if (member_or_null(secure, "SecureBootEnable").is_boolean())
    found.secure_boot = secure["SecureBootEnable"].get<bool>();
  const Json bios = session.linked(system, "Bios");
  const Json& attributes = object_member(bios, "Attributes");
  for (const auto& [name, value] : attributes.items()) found.settings[name] = value;
  return found;
}

void RedfishDriver::set_boot_mode(const Node& node, const std::string& mode) {
  RedfishSession session(http_, clock_, node, sessions_);
  const std::string path = session.system_path();
  const std::optional<std::string> now = boot_mode_of(session.get(path));
  if (!now) throw unsupported(node.driver, "set_boot_mode");
  if (now != mode) session.patch(path, {{"Boot", {{"BootSourceOverrideMode", mode == "uefi" ? "UEFI" : "Legacy"}}}});
}

void RedfishDriver::set_secure_boot(const Node& node, bool on) {
  RedfishSession session(http_, clock_, node, sessions_);
  const Json system = session.get(session.system_path());
  const Json secure = session.linked(system, "SecureBoot");
  if (!secure.is_object()) throw unsupported(node.driver, "set_secure_boot_state");
  if (secure.value("SecureBootEnable", Json()) == Json(on)) return;
  if (boot_mode_of(system) == "bios")
    throw PowerFault(Reason::failed, cat("Configuring secure boot requires UEFI for node ", node.uuid));
  session.patch(text_in(system["SecureBoot"], "@odata.id"), {{"SecureBootEnable", on}});
}

/// DSP0266, Settings: what is wished for goes to a resource of its own, and is taken at the machine's next start.
void RedfishDriver::set_bios(const Node& node, const Json& settings) {
  RedfishSession session(http_, clock_, node, sessions_);
  const Json bios = bios_of(session, "apply configuration");
  const Json& known = object_member(bios, "Attributes");
  std::vector<std::string> unknown;
  for (const auto& [name, value] : settings.items()) {
    if (!known.contains(name)) unknown.push_back(name);
  }
  if (!unknown.empty()) throw PowerFault(Reason::failed, cat("its BIOS has no setting ", join(unknown, ", ")));
  const Json& pending = object_member(bios, "@Redfish.Settings");
  const std::string path = text_in(object_member(pending, "SettingsObject"), "@odata.id");
  if (path.empty()) throw PowerFault(Reason::unsupported, "its BMC shows BIOS settings, and lets nobody change them");
  Json wish = {{"Attributes", settings}};
  const std::vector<std::string> times = strings(pending, "SupportedApplyTimes");
  if (std::find(times.begin(), times.end(), "OnReset") != times.end())
    wish["@Redfish.SettingsApplyTime"] = {{"@odata.type", "#Settings.v1_0_0.PreferredApplyTime"},
                                          {"ApplyTime", "OnReset"}};
  static_cast<void>(session.get(path));  // its tag
  session.patch(path, wish);
}

void RedfishDriver::reset_bios(const Node& node) {
  RedfishSession session(http_, clock_, node, sessions_);
  const Json bios = bios_of(session, "factory reset");
  const Json& action = object_member(object_member(bios, "Actions"), "#Bios.ResetBios");
  const std::string target = text_in(action, "target");
  if (target.empty()) throw PowerFault(Reason::unsupported, "its BMC can't reset BIOS settings");
  session.post(target, Json::object());
}

void RedfishDriver::inject_nmi(const Node& node) {
  RedfishSession session(http_, clock_, node, sessions_);
  const std::string path = session.system_path();
  const Json system = session.get(path);
  if (allowed_reset(system, {"Nmi"}).empty()) throw unsupported(node.driver, "inject_nmi");
  session.post(text_in(reset_action(system), "target", cat(path, "/Actions/ComputerSystem.Reset")),
               {{"ResetType", "Nmi"}});
}

}  // namespace hearth::bootstrap
