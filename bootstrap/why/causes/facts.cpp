#include "bootstrap/why/causes/facts.hpp"

#include <array>
#include <span>

#include "base/log.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "bootstrap/power/driver_keys.hpp"
#include "bootstrap/why/causes/boot_causes.hpp"
#include "bootstrap/why/causes/node_causes.hpp"
#include "bootstrap/why/causes/stack_causes.hpp"

namespace hearth::bootstrap::why {

namespace {

constexpr std::size_t k_longest_text = 4096;
constexpr std::string_view k_cut = " … (cut)";

constexpr auto k_node_members = std::to_array<std::string_view>({"uuid",
                                                                 "name",
                                                                 "driver",
                                                                 "provision_state",
                                                                 "target_provision_state",
                                                                 "provision_updated_at",
                                                                 "power_state",
                                                                 "target_power_state",
                                                                 "last_error",
                                                                 "maintenance",
                                                                 "maintenance_reason",
                                                                 "fault",
                                                                 "created_at",
                                                                 "updated_at",
                                                                 "instance_uuid",
                                                                 "resource_class",
                                                                 "conductor",
                                                                 "boot_interface",
                                                                 "boot_mode",
                                                                 "secure_boot",
                                                                 "protected",
                                                                 "retired",
                                                                 "automated_clean",
                                                                 "inspection_started_at",
                                                                 "inspection_finished_at"});
constexpr auto k_internal_members = std::to_array<std::string_view>(
    {"operator_instruction", "observed_power", "last_seen", "progress", "job", "agent_url", "agent_version"});
constexpr auto k_property_members =
    std::to_array<std::string_view>({"cpu_arch", "cpus", "memory_mb", "local_gb", "capabilities", "root_device"});
constexpr auto k_instance_members = std::to_array<std::string_view>(
    {"image_source", "image_type", "image_disk_format", "image_os_hash_algo", "image_os_hash_value", "image_checksum",
     "root_gb", "capabilities", "kernel", "ramdisk"});
constexpr auto k_stack_members = std::to_array<std::string_view>(
    {"id", "stack_name", "stack_status", "stack_status_reason", "creation_time", "updated_time"});
constexpr auto k_resource_members = std::to_array<std::string_view>(
    {"resource_name", "resource_type", "resource_status", "resource_status_reason", "physical_resource_id",
     "updated_time", "links", "hook", "required_by", "deploy_stderr"});

bool hides_value(const std::string& key) {
  return names_secret(key) || key.find("community") != std::string::npos ||
         key.find("configdrive") != std::string::npos || key.find("user_data") != std::string::npos;
}

Json safe_json(const Json& value);

Json safe_member(const std::string& key, const Json& value) {
  return hides_value(key) && !value.is_null() ? Json("******") : safe_json(value);
}

Json safe_json(const Json& value) {
  if (value.is_string()) return safe_text(value.get_ref<const std::string&>());
  Json out = value;
  if (value.is_object()) {
    out = Json::object();
    for (const auto& [key, member] : value.items()) out[safe_text(key)] = safe_member(key, member);
  } else if (value.is_array()) {
    for (Json& item : out) item = safe_json(item);
  }
  return out;
}

/// The members of these names, nothing else.
Json only(const Json& from, std::span<const std::string_view> names) {
  Json kept = Json::object();
  if (!from.is_object()) return kept;
  for (const std::string_view name : names) {
    const auto found = from.find(std::string(name));
    if (found != from.end()) kept[found.key()] = safe_member(found.key(), *found);
  }
  return kept;
}

std::vector<std::string> texts_in(const Json& from, std::string_view key) {
  std::vector<std::string> texts;
  for (const Json& text : list_member(from, key)) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

/// What its driver reads; other keys may hold anything.
Json safe_driver_info(const Json& node) {
  std::vector<std::string_view> names;
  const DriverSheet* sheet = driver_sheet(text_in(node, "driver"));
  if (sheet != nullptr) {
    for (const DriverKey& key : sheet->keys) names.push_back(key.name);
  }
  for (const DriverKey& key : common_driver_keys()) names.push_back(key.name);
  std::erase_if(names, [](std::string_view name) { return name.find("append_params") != std::string_view::npos; });
  return only(member_or_null(node, "driver_info"), names);
}

Json safe_node(const Json& node) {
  Json out = only(node, k_node_members);
  out["driver_internal_info"] = only(member_or_null(node, "driver_internal_info"), k_internal_members);
  out["properties"] = only(member_or_null(node, "properties"), k_property_members);
  out["instance_info"] = only(member_or_null(node, "instance_info"), k_instance_members);
  out["driver_info"] = safe_driver_info(node);
  return out;
}

Finding safe_finding(const Finding& finding) {
  Finding safe{safe_text(finding.cause), {}, safe_text(finding.next)};
  for (const std::string& line : finding.evidence) safe.evidence.push_back(safe_text(line));
  return safe;
}

}  // namespace

std::string safe_text(std::string_view text) {
  std::string out = shown_text(hide_secrets(replace_invalid_utf8(text)));
  if (out.size() <= k_longest_text + k_cut.size()) return out;
  std::size_t end = k_longest_text;
  while ((static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  return cat(out.substr(0, end), k_cut);
}

NodeFacts safe_facts(const NodeFacts& facts) {
  NodeFacts safe{.node = safe_node(facts.node),
                 .events = safe_json(facts.events),
                 .is_ours = facts.is_ours,
                 .is_served = facts.is_served,
                 .macs = facts.macs};
  for (std::string& mac : safe.macs) mac = safe_text(mac);
  if (facts.boot_log) safe.boot_log = safe_json(*facts.boot_log);
  safe.strangers = safe_json(facts.strangers);
  safe.now = facts.now;
  if (facts.unkept) safe.unkept = safe_finding(*facts.unkept);
  return safe;
}

StackFacts safe_facts(const StackFacts& facts) {
  StackFacts safe{.stack = only(facts.stack, k_stack_members)};
  for (const Json& resource : facts.resources) {
    if (!text_in(resource, "resource_status").ends_with("_COMPLETE") || !text_in(resource, "hook").empty())
      safe.resources.push_back(only(resource, k_resource_members));
  }
  for (const auto& [server, node] : facts.silent) safe.silent.emplace(safe_text(server), safe_facts(node));
  return safe;
}

Json facts_json(const NodeFacts& facts) {
  return {{"node", facts.node},
          {"events", facts.events},
          {"is_ours", facts.is_ours},
          {"is_served", facts.is_served},
          {"macs", facts.macs},
          {"boot_log", facts.boot_log.value_or(Json())},
          {"strangers", facts.strangers},
          {"now", facts.now},
          {"unkept", facts.unkept ? findings_json({*facts.unkept})[0] : Json()}};
}

Json facts_json(const StackFacts& facts) {
  Json silent = Json::object();
  for (const auto& [server, node] : facts.silent) silent[server] = facts_json(node);
  return {{"stack", facts.stack}, {"resources", facts.resources}, {"silent", silent}};
}

NodeFacts node_facts_of(const Json& json) {
  NodeFacts facts;
  if (const Json& node = member_or_null(json, "node"); node.is_object()) facts.node = node;
  facts.events = list_member(json, "events");
  facts.is_ours = member_or_null(json, "is_ours") != Json(false);
  facts.is_served = member_or_null(json, "is_served") != Json(false);
  facts.macs = texts_in(json, "macs");
  if (const Json& log = member_or_null(json, "boot_log"); log.is_array()) facts.boot_log = log;
  facts.strangers = list_member(json, "strangers");
  if (const Json& now = member_or_null(json, "now"); now.is_number_integer()) facts.now = now.get<Stamp>();
  if (const Json& unkept = member_or_null(json, "unkept"); unkept.is_object())
    facts.unkept = Finding{text_in(unkept, "cause"), texts_in(unkept, "evidence"), text_in(unkept, "next")};
  return safe_facts(facts);
}

StackFacts stack_facts_of(const Json& json) {
  StackFacts facts;
  if (const Json& stack = member_or_null(json, "stack"); stack.is_object()) facts.stack = stack;
  facts.resources = list_member(json, "resources");
  if (const Json& silent = member_or_null(json, "silent"); silent.is_object()) {
    for (const auto& [server, node] : silent.items()) facts.silent.emplace(server, node_facts_of(node));
  }
  return safe_facts(facts);
}

std::vector<Finding> causes_of(const NodeFacts& facts) { return node_causes(safe_facts(facts)); }

std::vector<Finding> causes_of(const StackFacts& facts) {
  const StackFacts safe = safe_facts(facts);
  std::vector<Finding> found = stack_causes(safe.stack, safe.resources);
  for (const auto& [server, node] : safe.silent) {
    Finding first = node_causes(node).front();
    if (first.cause.rfind("Nothing is wrong", 0) == 0 || first.cause.rfind(k_system_in_vain, 0) == 0) {
      const std::optional<Finding> seen = unasked_cause(server, node.boot_log, node.now);
      if (!seen) continue;
      first = *seen;
    } else {
      first.cause = cat("The machine of ", server, ": ", first.cause);
    }
    found.insert(found.begin(), std::move(first));
  }
  return found;
}

}  // namespace hearth::bootstrap::why
