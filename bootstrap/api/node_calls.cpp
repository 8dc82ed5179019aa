// /v1/nodes: list, create, show, change, delete.
#include <algorithm>

#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/api/listed.hpp"
#include "bootstrap/api/patch.hpp"
#include "bootstrap/api/shelf_calls.hpp"
#include "bootstrap/conductor/allocations.hpp"
#include "bootstrap/conductor/transition.hpp"
#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {

namespace {

/// What is told of each node where nothing more was asked for.
constexpr std::string_view k_brief = "uuid,name,instance_uuid,maintenance,power_state,provision_state";

/// Filters whose values can't be what they say are refused, not taken for "none".
void check_filters(const ApiCall& call) {
  const std::string state = call.parameter("provision_state");
  if (!state.empty() && !parse_state(state)) throw Refusal(400, cat("Provision state \"", state, "\" is not valid"));
  for (const char* flag : {"maintenance", "associated", "retired", "detail", "include_children"}) {
    const std::string text = to_lower(call.parameter(flag));
    if (text.empty() || call.truth(flag) || text == "false" || text == "0" || text == "no" || text == "off") continue;
    throw Refusal(400,
                  cat("Invalid input for field/attribute ", flag, ". Value: '", text, "'. A boolean is expected."));
  }
}

bool fits_words(const ApiCall& call, const Node& node) {
  const std::string fault = call.parameter("fault");
  if (!fault.empty() && fault != node.fault) return false;
  const std::string host = call.parameter("conductor");
  if (!host.empty() && host != call.view.host) return false;
  const std::string words = to_lower(call.parameter("description_contains"));
  if (!words.empty() && to_lower(text_in(node.fields, "description")).find(words) == std::string::npos) return false;
  const std::string project = call.parameter("project");
  if (!project.empty() && project != text_in(node.fields, "owner") && project != text_in(node.fields, "lessee"))
    return false;
  if (!call.parameter("retired").empty() && call.truth("retired") != node.fields.value("retired", false)) return false;
  const std::string chassis = call.parameter("chassis_uuid");
  return chassis.empty() || chassis == text_in(node.fields, "chassis_uuid");
}

/// Parts of other machines are listed where they are asked for only.
bool fits_parent(const ApiCall& call, const Node& node) {
  const std::string own = text_in(node.fields, "parent_node");
  const std::string wanted = call.parameter("parent_node");
  return wanted.empty() ? own.empty() || call.truth("include_children") : own == wanted;
}

bool fits(const ApiCall& call, const Node& node) {
  if (!fits_words(call, node) || !fits_parent(call, node)) return false;
  if (!call.parameter("maintenance").empty() && call.truth("maintenance") != node.maintenance) return false;
  if (!call.parameter("associated").empty() && call.truth("associated") == node.instance_uuid.empty()) return false;
  const std::string driver = call.parameter("driver");
  if (!driver.empty() && driver != node.driver) return false;
  for (const char* field : {"resource_class", "conductor_group", "owner", "lessee"}) {
    const std::string wanted = call.parameter(field);
    if (!wanted.empty() && text_in(node.fields, field) != wanted) return false;
  }
  return true;
}

/// Whoever follows what becomes of many nodes: the rest of a row is most of its cost.
bool asks_of_state(const ApiCall& call) {
  const std::vector<std::string> fields = split(call.parameter("fields"), ',');
  return call.parameter("sort_key").empty() && std::ranges::all_of(fields, is_of_state);
}

}  // namespace

ServedResponse IronicApi::nodes(const ApiCall& call) {
  const std::size_t count = call.parts.size();
  if (count == 1) {
    if (call.is("POST")) return create_node(call);
    return list_nodes(call, call.truth("detail"));
  }
  if (count == 2 && call.parts[1] == "detail") return list_nodes(call, true);
  const Node& node = conductor_.node(call.parts[1]);
  return count == 2 ? one_node(call, node) : part_of_node(call, node);
}

ServedResponse IronicApi::list_nodes(const ApiCall& call, bool detail, const std::string& of_chassis) {
  check_filters(call);
  if (const std::string chassis = call.parameter("chassis_uuid"); !chassis.empty())
    static_cast<void>(ShelfCalls(conductor_, call).find(*shelf_at("chassis"), chassis));
  const bool whole = detail || wants_whole_rows(call);
  const auto shown = !whole ? shown_node_briefly : !detail && asks_of_state(call) ? shown_node_state : shown_node;
  const Listing listing = {"nodes", "nodes", whole ? k_brief : ""};
  const Ledger& ledger = conductor_.ledger();
  const std::optional<State> state = parse_state(call.parameter("provision_state"));
  const std::string instance = call.parameter("instance_uuid");
  const Node* const its_node = instance.empty() ? nullptr : ledger.by_instance(instance);
  const NodeIndex::Ages only =
      its_node == nullptr ? NodeIndex::Ages() : NodeIndex::Ages{{its_node->created, its_node->uuid}};
  const NodeIndex::Ages& nodes = instance.empty() ? ledger.by_age() : only;
  auto at = nodes.begin();
  std::size_t most = ledger.nodes().size();
  if (is_in_list_order(call)) {
    most = asked_limit(call, most);
    if (const std::string marker = call.parameter("marker"); !marker.empty()) {
      const Node* last = ledger.by_uuid(marker);
      if (last == nullptr) throw unknown_marker(marker);
      at = nodes.upper_bound({last->created, last->uuid});
    }
  }
  std::vector<Json> rows;
  for (; at != nodes.end() && rows.size() <= most; ++at) {
    const Node& node = *ledger.by_uuid(at->second);
    if (state && node.state != *state) continue;  // first: it is asked most, and cheapest
    if ((!of_chassis.empty() && text_in(node.fields, "chassis_uuid") != of_chassis) || !fits(call, node)) continue;
    rows.push_back(shown(node, call.view));
  }
  return json_answer(
      200, is_in_list_order(call) ? page_of(call, std::move(rows), listing) : listed(call, std::move(rows), listing));
}

ServedResponse IronicApi::create_node(const ApiCall& call) {
  const Json body = call.body();
  Ledger& ledger = conductor_.ledger();
  Node node;
  take_fields(node, body);
  if (conductor_.drivers().find(node.driver) == nullptr) {
    throw Refusal(400, cat("No valid host was found. Reason: No conductor service registered which supports driver ",
                           node.driver, " for conductor group \"\"."));
  }
  conductor_.check_words(node);
  check_links(node);
  const std::string wish = text_in(body, "uuid");
  if (!wish.empty() && !parse_uuid(wish)) throw Refusal(400, cat("Expected a UUID but received ", wish, "."));
  node.uuid = wish.empty() ? random_uuid() : *parse_uuid(wish);
  if (ledger.by_uuid(node.uuid) != nullptr) throw Refusal(409, cat("A node with UUID ", node.uuid, " already exists."));
  if (!node.name.empty() && ledger.find(node.name) != nullptr) {
    throw Refusal(409, cat("A node with name ", node.name, " already exists."));
  }
  node.created = ledger.now();
  if (call.view.minor < 11) node.state = State::available;  // as Ironic did before 1.11
  const Node& kept = ledger.add(std::move(node));
  ledger.record(kept, "inventory", "created");
  conductor_.settle();
  ServedResponse response = json_answer(201, shown_node(kept, call.view));
  response.headers.emplace_back("Location", cat(call.view.base, "/v1/nodes/", kept.uuid));
  return response;
}

ServedResponse IronicApi::one_node(const ApiCall& call, const Node& node) {
  if (call.is("PATCH")) return patch_node(call, node);
  if (call.is("DELETE")) return delete_node(node);
  return json_answer(200, only_fields(shown_node(node, call.view), call.parameter("fields")));
}

ServedResponse IronicApi::patch_node(const ApiCall& call, const Node& node) {
  if (!may_change(node.state) && !node.maintenance) {
    throw Refusal(409, cat("Node ", node.title(), " can not be updated while a state transition is in progress."));
  }
  Node changed = patched(node, call.body());
  const Node* namesake = changed.name.empty() ? nullptr : conductor_.ledger().find(changed.name);
  if (namesake != nullptr && namesake->uuid != node.uuid) {
    throw Refusal(409, cat("A node with name ", changed.name, " already exists."));
  }
  if (conductor_.drivers().find(changed.driver) == nullptr) {
    throw Refusal(400, cat("No valid host was found. Reason: No conductor service registered which supports driver ",
                           changed.driver, " for conductor group \"\"."));
  }
  conductor_.check_words(changed);
  check_links(changed);
  if (changed.instance_uuid != node.instance_uuid) {
    if (!node.instance_uuid.empty() && !changed.instance_uuid.empty())
      throw Refusal(409, cat("Node ", node.title(), " is associated with instance ", node.instance_uuid, "."));
    if (!changed.instance_uuid.empty() && conductor_.ledger().by_instance(changed.instance_uuid) != nullptr)
      throw Refusal(409, cat("Instance ", changed.instance_uuid, " is already associated with a node, it cannot be ",
                             "associated with this other node ", node.uuid));
    if (!node.allocation.empty()) release(conductor_.ledger(), changed);
  }
  changed.updated = conductor_.ledger().now();
  const std::string uuid = node.uuid;
  conductor_.keep_changed(std::move(changed));
  conductor_.settle();
  return json_answer(200, shown_node(conductor_.node(uuid), call.view));
}

/// The chassis and the parent that it is said to have, by their one spelling.
void IronicApi::check_links(Node& node) const {
  if (const std::string parent = text_in(node.fields, "parent_node"); !parent.empty()) {
    const Node* found = conductor_.ledger().find(parent);
    if (found == nullptr || found->uuid == node.uuid)
      throw Refusal(400, cat("Node ", parent, " could not be found as parent_node of node ", node.title(), "."));
    node.fields["parent_node"] = found->uuid;
  }
  const std::string id = text_in(node.fields, "chassis_uuid");
  if (id.empty()) return;
  const std::optional<std::string> uuid = parse_uuid(id);
  if (!uuid) throw Refusal(400, cat("Expected UUID for chassis_uuid: ", id));
  if (!conductor_.ledger().document(cat("chassis/", *uuid)))
    throw Refusal(400, cat("Chassis ", id, " could not be found."));
  node.fields["chassis_uuid"] = *uuid;
}

ServedResponse IronicApi::delete_node(const Node& node) {
  const bool is_given_for_good = node.internal.contains(k_given_for_good);  // only its record is here
  if (!is_given_for_good) check_is_ours(node);
  if (!is_given_for_good && node.fields.value("protected", false)) {
    throw Refusal(403, cat("Node ", node.title(), " is protected and can not be undeployed, rebuilt or deleted."));
  }
  if (!is_given_for_good && !node.maintenance && !may_delete(node.state)) {
    throw Refusal(409,
                  cat("Can not delete node \"", node.uuid, "\" while it is in provision state \"", name(node.state),
                      "\". Valid provision states to perform deletion are: \"['adopt failed', 'available', 'enroll', "
                      "'manageable']\""));
  }
  if (!node.instance_uuid.empty() && !node.maintenance) {
    throw Refusal(409, cat("Node ", node.title(), " is associated with instance ", node.instance_uuid, "."));
  }
  conductor_.ledger().record(node, "inventory", "deleted");
  forget_records_of(conductor_.ledger(), node);
  conductor_.ledger().remove(std::string(node.uuid));
  conductor_.settle();
  return empty_answer(204);
}

}  // namespace hearth::bootstrap
