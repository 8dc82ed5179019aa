// /v1/nodes/ID/…: what a machine's management does beside its power: boot device and mode, Secure Boot, interrupts,
// BIOS settings, firmware, RAID, consoles. What no driver of ours has (calls of vendors) is refused as Ironic's empty
// interfaces do.
#include "base/text.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/api/listed.hpp"
#include "bootstrap/conductor/raid_config.hpp"
#include "bootstrap/gate/answer.hpp"
#include "bootstrap/power/consoles.hpp"

namespace hearth::bootstrap {

namespace {

void need_version(const ApiCall& call, int minor) {
  if (call.view.minor < minor)
    throw Refusal(404, cat("This endpoint is supported starting with the API version 1.", minor));
}

void need_rest(const Node& node) {
  const StateKind kind = kind_of(node.state);
  if (kind != StateKind::working && kind != StateKind::waiting) return;
  throw Refusal(409, cat("Node is in ", name(node.state),
                         " state. Since node is transitioning, the boot mode will not be set as this may interfere "
                         "with ongoing changes and result in erroneous modification. Try again later."));
}

Json bios_row(const std::string& name, const Json& value, const Json& at, const std::string& node, const View& view) {
  return {{"name", name},
          {"value", value.is_null() ? Json() : Json(text_of(value))},
          {"created_at", at},
          {"updated_at", nullptr},
          {"links", links_to(view, cat("nodes/", node, "/bios/", name))}};
}

}  // namespace

std::optional<bool> truth_of(const Json& body, const char* key) {
  if (!body.is_object() || !body.contains(key)) return std::nullopt;
  if (body[key].is_boolean()) return body[key].get<bool>();
  const std::string text = to_lower(text_of(body[key]));
  for (const char* yes : {"true", "t", "1", "yes", "y", "on"})
    if (text == yes) return true;
  for (const char* no : {"false", "f", "0", "no", "n", "off"})
    if (text == no) return false;
  return std::nullopt;
}

/// PUT states/boot_mode, states/secure_boot: 202, then the node tells how it went.
ServedResponse IronicApi::node_firmware(const ApiCall& call, const Node& node) {
  need_version(call, 76);
  const Json body = call.body();
  const std::string place = cat(call.view.base, "/v1/nodes/", call.parts[1], "/states");
  if (call.parts[3] == "boot_mode") {
    const std::string mode = text_in(body, "target");
    if (mode != "uefi" && mode != "bios")
      throw Refusal(400, cat("Invalid boot mode ", mode, " requested for node. Allowed boot modes are: bios, uefi"));
    need_rest(node);
    conductor_.set_boot_mode(node.uuid, mode);
    return empty_answer(202, place);
  }
  const std::optional<bool> on = truth_of(body, "target");
  if (!on) {
    throw Refusal(400, cat("Invalid secure_boot ", text_in(body, "target", "None"),
                           " requested for node. Allowed secure_boot states are: True, False"));
  }
  need_rest(node);
  conductor_.set_secure_boot(node.uuid, *on);
  return empty_answer(202, place);
}

ServedResponse IronicApi::node_management(const ApiCall& call, const Node& node) {
  if (call.parts.size() < 4) throw Refusal(404, "Not Found");
  if (call.parts[3] == "inject_nmi") {
    need_version(call, 29);
    conductor_.inject_nmi(node.uuid, call.answered());
    return empty_answer(204);
  }
  const PowerDriver* driver = conductor_.drivers().find(node.driver);
  if (call.parts.size() == 5) {  // supported
    return json_answer(
        200, {{"supported_boot_devices", driver == nullptr ? std::vector<std::string>() : driver->boot_devices()}});
  }
  if (call.is("PUT")) {
    const Json body = call.body();
    const std::optional<bool> persistent = truth_of(body, "persistent");
    if (body.contains("persistent") && !persistent) throw Refusal(400, "Invalid input for field/attribute persistent.");
    conductor_.set_boot_device(node.uuid, text_in(body, "boot_device"), persistent.value_or(false), call.answered());
    return empty_answer(204);
  }
  if (call.held) conductor_.ask_boot_device(node.uuid, call.answered());
  const Json device = node.boot_device.empty() ? Json() : Json(node.boot_device);
  return json_answer(200, {{"boot_device", device}, {"persistent", node.boot_device_persistent}});
}

/// As they were when the node became manageable.
ServedResponse IronicApi::node_bios(const ApiCall& call, const Node& node) {
  need_version(call, 40);
  const Json kept = conductor_.ledger().document(cat("bios/", node.uuid)).value_or(Json::object());
  const Json settings = kept.value("settings", Json::object());
  const Json at = kept.value("at", Json());
  if (call.parts.size() == 3) {
    Json list = Json::array();
    for (const auto& [name, value] : settings.items())
      list.push_back(only_fields(bios_row(name, value, at, node.uuid, call.view), call.parameter("fields")));
    return json_answer(200, {{"bios", list}});
  }
  const std::string& name = call.parts[3];
  if (!settings.contains(name))
    throw Refusal(404, cat("Node ", node.uuid, " doesn't have a BIOS setting '", name, "'"));
  return json_answer(200, {{name, bios_row(name, settings[name], at, node.uuid, call.view)}});
}

/// What of the machine has firmware, and which: as they were told last.
ServedResponse IronicApi::node_versions(const ApiCall& call, const Node& node) {
  if (call.view.minor < 86) throw Refusal(404, "The API version does not allow node firmware");
  const Json kept = conductor_.ledger().document(cat("firmware/", node.uuid)).value_or(Json::object());
  constexpr std::string_view k_versions = "component,initial_version,current_version,last_version_flashed";
  std::string fields = call.parameter("fields");
  if (fields.empty() && !call.truth("detail")) fields = k_versions;
  Json list = Json::array();
  for (const auto& [component, versions] : kept.items()) {
    Json row = versions;
    row["component"] = component;
    list.push_back(only_fields(row, fields));
  }
  return json_answer(200, {{"firmware", list}});
}

/// PUT states/raid: how the machine's volumes are to be; {} = nothing is wished.
ServedResponse IronicApi::node_raid(const ApiCall& call, const Node& node) {
  if (step_interface(node, "raid") == "no-raid") throw Refusal(404, unsupported(node.driver, "raid").what());
  const Json config = call.body();
  const std::string fault = config.empty() && config.is_object() ? "" : raid_config_fault(config);
  if (!fault.empty()) throw Refusal(400, fault);
  conductor_.ledger().edit(node.uuid).target_raid_config = config;
  conductor_.settle();
  return empty_answer(204);
}

ServedResponse IronicApi::node_without(const ApiCall& call) {
  if (call.parts.size() == 4 && call.parts[3] == "methods") return json_answer(200, Json::object());
  const std::string method = call.parts.size() == 4 ? call.parts[3] : call.parameter("method");
  if (method.empty()) throw Refusal(400, "Method not specified when calling vendor extension.");
  throw Refusal(400, cat("No handler for method ", method));
}

/// What Ironic serves at a TCP port that asks nobody who he is, is a socket here: socat reaches it, too.
ServedResponse IronicApi::node_console(const ApiCall& call, const Node& node) {
  if (call.is("GET")) {
    const bool on = node.fields.value("console_enabled", false) && has_console(node);
    Json info = {{"type", "socat"},
                 {"url", cat("unix://", console_socket(conductor_.directory(), node.uuid).string())}};
    if (const auto session = consoles_ == nullptr ? std::nullopt : consoles_->session(node.uuid)) {
      info["is_up"] = session->is_up;  // ours, not Ironic's
      info["fault"] = session->fault.empty() ? Json() : Json(session->fault);
    }
    return json_answer(200, {{"console_enabled", on}, {"console_info", on ? info : Json()}});
  }
  const std::optional<bool> on = truth_of(call.body(), "enabled");
  if (!on) throw Refusal(400, "Missing mandatory parameter: enabled");
  conductor_.set_console(node.uuid, *on);
  return empty_answer(202, cat(call.view.base, "/v1/nodes/", call.parts[1], "/states/console"));
}

}  // namespace hearth::bootstrap
