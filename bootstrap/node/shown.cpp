#include "bootstrap/node/shown.hpp"

#include <algorithm>
#include <array>

#include "base/redaction.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_mask = "******";

/// What everybody may know.
bool is_public(const std::string& lower) {
  return lower == "ssh_keys" || lower == "image_signature" || lower.find("public_key") != lower.npos ||
         lower.find("authorized_key") != lower.npos;
}

/// What names_secret() knows, and what of Ironic's holds secrets under another name.
bool is_secret(const std::string& key) {
  static constexpr std::array<std::string_view, 3> words = {"configdrive", "image_url", "community"};
  const std::string lower = to_lower(key);
  if (is_public(lower)) return false;
  return names_secret(lower) || std::any_of(words.begin(), words.end(), [&](std::string_view word) {
           return lower.find(word) != std::string::npos;
         });
}

bool is_hidden_from_readers(const std::string& key) {
  const std::string lower = to_lower(key);
  return is_secret(lower) || lower == "user_data" || lower == "meta_data";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// Which API version brought a field (Ironic's REST API version history); older clients don't get it.
struct Since {
  const char* field;
  int minor;
};
constexpr std::array k_since = {Since{"driver_internal_info", 3},
                                Since{"name", 5},
                                Since{"inspection_finished_at", 6},
                                Since{"inspection_started_at", 6},
                                Since{"clean_step", 7},
                                Since{"raid_config", 12},
                                Since{"target_raid_config", 12},
                                Since{"network_interface", 20},
                                Since{"resource_class", 21},
                                Since{"boot_interface", 31},
                                Since{"storage_interface", 33},
                                Since{"volume", 32},
                                Since{"traits", 37},
                                Since{"rescue_interface", 38},
                                Since{"bios_interface", 40},
                                Since{"fault", 42},
                                Since{"deploy_step", 44},
                                Since{"conductor_group", 46},
                                Since{"automated_clean", 47},
                                Since{"protected", 48},
                                Since{"protected_reason", 48},
                                Since{"conductor", 49},
                                Since{"owner", 50},
                                Since{"description", 51},
                                Since{"allocation_uuid", 52},
                                Since{"retired", 61},
                                Since{"retired_reason", 61},
                                Since{"lessee", 65},
                                Since{"network_data", 66},
                                Since{"boot_mode", 75},
                                Since{"secure_boot", 75},
                                Since{"parent_node", 83},
                                Since{"firmware_interface", 86}};

void hide_newer(Json& shown, int minor) {
  for (const Since& row : k_since) {
    if (minor < row.minor) shown.erase(row.field);
  }
}

void put_conditions(const Node& node, Json& shown) {
  shown["power_state"] = power_json(node.power);
  shown["target_power_state"] = text_or_null(node.target_power);
  shown["target_provision_state"] = node.target ? Json(name(*node.target)) : Json();
  shown["provision_updated_at"] = stamp_json(node.provision_updated);
  shown["last_error"] = text_or_null(node.last_error);
  shown["maintenance"] = node.maintenance;
  shown["maintenance_reason"] = text_or_null(node.maintenance_reason);
  shown["fault"] = text_or_null(node.fault);
  shown["reservation"] = nullptr;
  shown["console_enabled"] = node.fields.value("console_enabled", false);
  shown["inspection_started_at"] = stamp_json(node.inspection_started);
  shown["inspection_finished_at"] = stamp_json(node.inspection_finished);
}

/// As its management told it last; where it does not, what the node is said to boot by.
void put_firmware(const Node& node, Json& shown) {
  const Json told = node.internal.value("firmware", Json::object());
  const Json said = node.capability("boot_mode") ? Json(*node.capability("boot_mode")) : Json();
  const Json mode = told.value("boot_mode", Json());
  shown["boot_mode"] = mode.is_null() ? said : mode;
  shown["secure_boot"] = told.value("secure_boot", Json());
}

Json internal_shown(const Node& node) {
  Json shown = node.internal;
  if (!node.instruction.action.empty()) {
    shown["operator_instruction"] = {{"action", node.instruction.action},
                                     {"text", node.instruction.text},
                                     {"since", stamp_json(node.instruction.since)},
                                     {"deadline", stamp_json(node.instruction.deadline)}};
  }
  if (node.observed != Power::unknown) shown["observed_power"] = power_json(node.observed);
  if (node.seen != 0) shown["last_seen"] = {{"at", stamp_json(node.seen)}, {"how", node.seen_how}};
  if (!node.progress.is_null()) shown["progress"] = node.progress;
  if (node.job.running()) {
    shown["job"] = {
        {"kind", name(node.job.kind)}, {"stage", node.job.stage_name()}, {"since", stamp_json(node.job.stage_since)}};
    shown["job"]["begun"] = stamp_json(node.job.started);
    if (node.seen < node.job.started && !node.job.notes.strangers.empty())
      shown["job"]["strangers"] = node.job.notes.strangers;
    if (node.job.notes.until != 0) shown["job"]["until"] = stamp_json(node.job.notes.until);
    if (node.job.stage == Stage::power_on && !node.job.notes.booting) shown["job"]["waits_for_turn"] = true;
  }
  return shown;
}

}  // namespace

Json links_to(const View& view, const std::string& path) {
  return Json::array({{{"href", cat(view.base, "/v1/", path)}, {"rel", "self"}},
                      {{"href", cat(view.base, "/", path)}, {"rel", "bookmark"}}});
}

Json masked(Json value) {
  if (value.is_object()) {
    for (auto& [key, member] : value.items()) {
      member = is_secret(key) && !member.is_null() ? Json(k_mask) : masked(std::move(member));
    }
  } else if (value.is_array()) {
    for (Json& item : value) item = masked(std::move(item));
  }
  return value;
}

bool holds_secret(const std::string& key, const Json& value) {
  if (is_secret(key) && !value.is_null()) return true;
  if (value.is_string()) return hide_secrets(value.get_ref<const std::string&>()) != value;
  if (!value.is_structured()) return false;
  const auto members = value.items();
  return std::any_of(members.begin(), members.end(), [&](const auto& member) {
    return holds_secret(value.is_object() ? member.key() : "", member.value());
  });
}

Json without_secret_members(Json object) {
  for (auto member = object.begin(); member != object.end();) {
    member = holds_secret(member.key(), *member) ? object.erase(member) : std::next(member);
  }
  return object;
}

bool is_mask(const std::string& key, const std::string& text) {
  if (text.find(k_mask) == std::string::npos) return false;
  if (text == k_mask && is_hidden_from_readers(key)) return true;
  const std::string filled = replace_all(text, k_mask, "x");  // would the x be hidden?
  return hide_secrets(filled) != filled;
}

Json for_readers(Json value) {
  if (value.is_string()) return hide_secrets(value.get_ref<const std::string&>());
  if (value.is_object()) {
    for (auto& [key, member] : value.items()) {
      member = is_hidden_from_readers(key) && !member.is_null() ? Json(k_mask) : for_readers(std::move(member));
    }
  } else if (value.is_array()) {
    for (Json& item : value) item = for_readers(std::move(item));
  }
  return value;
}

Json state_json(State state, int minor) {
  if (state == State::available && minor < 2) return nullptr;
  return name(state);
}

Json shown_node_briefly(const Node& node, const View& view) {
  Json shown = {{"instance_uuid", text_or_null(node.instance_uuid)},
                {"maintenance", node.maintenance},
                {"power_state", power_json(node.power)},
                {"provision_state", state_json(node.state, view.minor)},
                {"uuid", node.uuid},
                {"name", text_or_null(node.name)},
                {"links", links_to(view, cat("nodes/", node.uuid))}};
  hide_newer(shown, view.minor);
  return shown;
}

Json shown_node_state(const Node& node, const View& view) {
  Json shown = shown_node_briefly(node, view);
  put_conditions(node, shown);
  hide_newer(shown, view.minor);
  return shown;
}

bool is_of_state(std::string_view field) {
  static const Json row = shown_node_state(Node(), View());
  return row.contains(field);
}

Json shown_node(const Node& node, const View& view) {
  Json shown = shown_node_briefly(node, view);
  for (const FreeField& field : free_fields()) {
    const std::string key(field.name);
    shown[key] = node.fields.contains(key) ? node.fields[key] : json_or_null(field.initial);
  }
  for (const char* key : {"management_interface", "power_interface"}) {
    if (shown[key].is_null()) shown[key] = node.driver;
  }
  for (const char* part : {"bios", "raid", "firmware"}) shown[cat(part, "_interface")] = step_interface(node, part);
  shown["driver"] = node.driver;
  shown["driver_info"] = masked(node.driver_info);
  shown["driver_internal_info"] = masked(internal_shown(node));
  shown["properties"] = node.properties;
  shown["instance_info"] = masked(node.instance_info);
  shown["extra"] = node.extra;
  if (view.only_looks) {
    for (const char* key : {"driver_info", "instance_info", "extra"}) shown[key] = for_readers(std::move(shown[key]));
  }
  shown["traits"] = node.traits;
  put_conditions(node, shown);
  put_firmware(node, shown);
  shown["conductor"] = view.host;
  shown["allocation_uuid"] = text_or_null(node.allocation);
  shown["clean_step"] = Json::object();
  shown["deploy_step"] = Json::object();
  shown["raid_config"] = node.raid_config;
  shown["target_raid_config"] = node.target_raid_config;
  shown["created_at"] = stamp_json(node.created);
  shown["updated_at"] = stamp_json(node.updated);
  for (const char* list : {"ports", "states", "portgroups", "volume"}) {
    shown[list] = links_to(view, cat("nodes/", node.uuid, "/", list));
  }
  hide_newer(shown, view.minor);
  return shown;
}

Json shown_port(const Node& node, const Port& port, const View& view) {
  return {{"uuid", port.uuid},
          {"address", port.address},
          {"node_uuid", node.uuid},
          {"extra", port.extra},
          {"internal_info", Json::object()},
          {"is_smartnic", port.is_smartnic},
          {"local_link_connection", port.local_link_connection},
          {"physical_network", text_or_null(port.physical_network)},
          {"portgroup_uuid", text_or_null(port.group)},
          {"pxe_enabled", port.pxe_enabled},
          {"created_at", stamp_json(port.created)},
          {"updated_at", stamp_json(port.updated)},
          {"links", links_to(view, cat("ports/", port.uuid))}};
}

Json shown_states(const Node& node, int minor) {
  Json shown = Json::object();
  put_conditions(node, shown);
  put_firmware(node, shown);
  shown["raid_config"] = node.raid_config;
  shown["target_raid_config"] = node.target_raid_config;
  hide_newer(shown, minor);
  shown["provision_state"] = name(node.state);
  for (const char* key : {"maintenance", "maintenance_reason", "fault", "reservation", "inspection_started_at",
                          "inspection_finished_at"}) {
    shown.erase(key);
  }
  return shown;
}

Json shown_to_agent(const Node& node) {
  Json shown = shown_node(node, {});
  for (const char* key : {"links", "ports", "states", "portgroups", "volume"}) shown.erase(key);
  shown["driver_info"] = masked(node.driver_info);
  return shown;
}

Json shown_ports(const Node& node) {
  Json ports = Json::array();
  for (const Port& port : node.ports) {
    Json row = shown_port(node, port, {});
    row.erase("links");
    ports.push_back(std::move(row));
  }
  return ports;
}

}  // namespace hearth::bootstrap
