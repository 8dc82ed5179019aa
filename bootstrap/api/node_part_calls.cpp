// /v1/nodes/ID/…: states, power, maintenance, traits, validation, history.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/api/patch.hpp"
#include "bootstrap/api/shelf_calls.hpp"
#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {

namespace {

/// What is given to a soft power-off before it is forced: "timeout", else ten minutes as Ironic has it.
Seconds power_patience(const Json& body) {
  const Json timeout = body.value("timeout", Json());
  if (timeout.is_null()) return Seconds(600);
  if (!timeout.is_number_integer() || timeout < 1 || timeout > 86400)
    throw Refusal(400,
                  cat("Invalid timeout ", format_json(timeout), ": a number of seconds from 1 to 86400 is expected"));
  return Seconds(timeout.get<std::int64_t>());
}

}  // namespace

ServedResponse IronicApi::part_of_node(const ApiCall& call, const Node& node) {
  const std::string& part = call.parts[2];
  if (part == "states") return node_states(call, node);
  if (part == "maintenance") return node_maintenance(call, node);
  if (part == "management") return node_management(call, node);
  if (part == "bios") return node_bios(call, node);
  if (part == "firmware") return node_versions(call, node);
  if (part == "children") return node_children(call, node);
  if (part == "vendor_passthru") return node_without(call);
  if (part == "traits") return node_traits(call, node);
  if (part == "validate") return node_validate(call, node);
  if (part == "history") return node_history(call, node);
  if (part == "ports") return list_ports(call, port_ages(node), [](const Port&) { return true; });
  // As Ironic's network interface noop: networks are nobody's business here.
  if (part == "vifs" && !call.is("GET")) return empty_answer(204);
  if (part == "vifs") return json_answer(200, {{"vifs", Json::array()}});
  if (part == "portgroups" || part == "volume" || part == "allocation")
    return ShelfCalls(conductor_, call).of_node(node);
  if (part == "inventory") {
    const std::optional<Json> kept = conductor_.ledger().store().document(cat("introspection/", node.uuid));
    if (!kept) throw Refusal(404, cat("Inventory record for node ", node.uuid, " not found."));
    const Json data = (*kept)["data"];
    return json_answer(200, {{"inventory", data.value("inventory", Json::object())}, {"plugin_data", data}});
  }
  throw Refusal(404, "Not Found");
}

/// What a verb is asked with, in Ironic's order and words; what the verb itself looks at is left to it.
Json checked_provision(const ApiCall& call, Json body) {
  constexpr std::array<std::string_view, 7> k_known = {
      "target", "configdrive", "clean_steps", "deploy_steps", "service_steps", "rescue_password", "disable_ramdisk"};
  if (!body.is_object()) return body;
  std::vector<std::string> unexpected;
  for (const auto& [key, value] : body.items()) {
    if (std::find(k_known.begin(), k_known.end(), key) == k_known.end()) unexpected.push_back(key);
  }
  if (!unexpected.empty()) throw Refusal(400, cat("Unexpected arguments: ", join(unexpected, ", ")));
  constexpr const char* k_disable = "disable_ramdisk";
  if (member_or_null(body, k_disable).is_null()) return body;
  const std::optional<bool> disable = truth_of(body, k_disable);
  if (!disable) {
    throw Refusal(400,
                  cat("Invalid disable_ramdisk: Unrecognized value '", text_of(body[k_disable]),
                      "', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', "
                      "'yes'"));
  }
  if (call.view.minor < 70) throw Refusal(406, "disable_ramdisk is not acceptable in this API version");
  if (text_in(body, "target") != "clean") throw Refusal(400, "disable_ramdisk is supported only with manual cleaning");
  body[k_disable] = *disable;
  return body;
}

ServedResponse IronicApi::node_states(const ApiCall& call, const Node& node) {
  if (call.parts.size() == 3) return json_answer(200, shown_states(node, call.view.minor));
  const std::string& what = call.parts[3];
  const Json body = call.body();
  const std::string place = cat(call.view.base, "/v1/nodes/", call.parts[1], "/states");
  if (what == "provision" && call.is("PUT")) {
    conductor_.verb(node.uuid, text_in(body, "target"), checked_provision(call, body));
    return empty_answer(202, place);
  }
  if (what == "power" && call.is("PUT")) {
    conductor_.power(node.uuid, text_in(body, "target"), power_patience(body));
    return empty_answer(202, place);
  }
  if (what == "boot_mode" || what == "secure_boot") return node_firmware(call, node);
  if (what == "raid") return node_raid(call, node);
  if (what == "console") return node_console(call, node);
  throw Refusal(404, "Not Found");
}

ServedResponse IronicApi::node_maintenance(const ApiCall& call, const Node& node) {
  if (!call.is("PUT") && !call.is("DELETE")) throw Refusal(405, "Method Not Allowed");
  const bool on = call.is("PUT");
  conductor_.set_maintenance(node.uuid, on, on ? text_in(call.body(), "reason") : "");
  return empty_answer(202);
}

ServedResponse IronicApi::node_traits(const ApiCall& call, const Node& node) {
  if (call.is("GET")) return json_answer(200, {{"traits", node.traits}});
  std::vector<std::string> traits = node.traits;
  if (call.parts.size() > 3) {
    check_trait(call.parts[3]);
    const bool there = std::erase(traits, call.parts[3]) > 0;
    if (call.is("PUT"))
      traits.push_back(call.parts[3]);
    else if (!there)
      throw Refusal(404, cat("Node ", node.uuid, " doesn't have a trait '", call.parts[3], "'"));
  } else {
    const Json given = call.is("PUT") ? call.body().value("traits", Json::array()) : Json::array();
    traits.clear();
    for (const Json& trait : given) {
      check_trait(text_of(trait));
      traits.push_back(text_of(trait));
    }
  }
  std::sort(traits.begin(), traits.end());
  conductor_.ledger().edit(node.uuid).traits = traits;
  conductor_.settle();
  return empty_answer(204);
}

ServedResponse IronicApi::node_children(const ApiCall& call, const Node& node) {
  if (call.view.minor < 83) throw Refusal(404, "Not Found");
  Json children = Json::array();
  for (const auto& [uuid, other] : conductor_.ledger().nodes()) {
    if (text_in(other.fields, "parent_node") == node.uuid) children.push_back(uuid);
  }
  return json_answer(200, {{"children", children}});
}

ServedResponse IronicApi::node_validate(const ApiCall& call, const Node& node) {
  Json result = Json::object();
  for (const auto& [interface, reason] : conductor_.validate(node.uuid)) {
    if (interface == "firmware" && call.view.minor < 86) continue;
    if (reason == "unsupported") {
      result[interface] = {{"result", nullptr}, {"reason", "not supported"}};
    } else if (reason.empty()) {
      result[interface] = {{"result", true}};
    } else {
      result[interface] = {{"result", false}, {"reason", reason}};
    }
  }
  return json_answer(200, result);
}

ServedResponse IronicApi::node_history(const ApiCall& call, const Node& node) {
  Json list = Json::array();
  for (const Event& event : conductor_.ledger().store().events({0, 1000, node.uuid, true})) {
    const std::string id = std::to_string(event.id);
    Json row = {{"uuid", id},
                {"created_at", stamp_json(event.at)},
                {"severity", event.kind == "failure" ? "ERROR" : "INFO"},
                {"event_type", event.kind},
                {"event", event.text},
                {"conductor", call.view.host},
                {"user", nullptr},
                {"links", Json::array()}};
    if (call.parts.size() > 3 && call.parts[3] == id) return json_answer(200, row);
    list.push_back(std::move(row));
  }
  if (call.parts.size() > 3) throw Refusal(404, cat("Node history record ", call.parts[3], " could not be found."));
  return json_answer(200, {{"history", list}});
}

}  // namespace hearth::bootstrap
