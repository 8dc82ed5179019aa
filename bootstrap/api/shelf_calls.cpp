#include "bootstrap/api/shelf_calls.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/api/listed.hpp"
#include "bootstrap/api/patch.hpp"
#include "bootstrap/conductor/allocations.hpp"
#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {

namespace {

std::string key_of(const Shelf& shelf, const Json& record) { return cat(shelf.path, "/", text_in(record, "uuid")); }

const Shelf& shelf_named(std::string_view path) { return *shelf_at(path); }

}  // namespace

std::vector<Json> ShelfCalls::records(const Shelf& shelf) const {
  std::vector<Json> found = ledger_.documents(cat(shelf.path, "/"));
  std::stable_sort(found.begin(), found.end(), [](const Json& a, const Json& b) {
    return a.value("created", Stamp{0}) < b.value("created", Stamp{0});
  });
  return found;
}

Json ShelfCalls::find(const Shelf& shelf, const std::string& id) const {
  const std::optional<std::string> uuid = parse_uuid(id);
  if (uuid) {
    if (std::optional<Json> found = ledger_.document(cat(shelf.path, "/", *uuid))) return *found;
  } else if (shelf.named) {
    for (const Json& record : ledger_.documents(cat(shelf.path, "/"))) {
      if (text_in(record, "name") == id && !id.empty()) return record;
    }
  } else {
    throw Refusal(400, cat("Expected a UUID but received ", id, "."));
  }
  throw Refusal(404, cat(shelf.title, " ", id, " could not be found."));
}

ServedResponse ShelfCalls::answer(const Shelf& shelf, const std::vector<std::string>& rest) {
  if (call_.view.minor < shelf.since) throw Refusal(404, "Not Found");
  if (rest.empty() && call_.is("POST")) return create(shelf);
  if (rest.empty() || rest.front() == "detail") return list(shelf, "");
  const Json record = find(shelf, rest.front());
  if (call_.is("PATCH")) return change(shelf, record);
  if (call_.is("DELETE")) return remove(shelf, record);
  return json_answer(200, only_fields(shown_record(shelf, record, call_.view), call_.parameter("fields")));
}

ServedResponse ShelfCalls::of_node(const Node& node) {
  const std::string& part = call_.parts[2];
  if (part == "portgroups") return list(shelf_named("portgroups"), node.uuid);
  if (part == "volume") {
    if (call_.parts.size() == 3) return volumes(cat("nodes/", call_.parts[1], "/volume"));
    return list(shelf_named(cat("volume/", call_.parts[3])), node.uuid);
  }
  const Shelf& allocations = shelf_named("allocations");
  if (node.allocation.empty()) throw Refusal(404, cat("Allocation for node ", call_.parts[1], " was not found"));
  const Json record = find(allocations, node.allocation);
  if (call_.is("DELETE")) return remove(allocations, record);
  return json_answer(200, only_fields(shown_record(allocations, record, call_.view), call_.parameter("fields")));
}

ServedResponse ShelfCalls::volumes(const std::string& place) const {
  if (call_.view.minor < shelf_named("volume/targets").since) throw Refusal(404, "Not Found");
  return json_answer(200, {{"links", links_to(call_.view, cat(place, "/"))},
                           {"connectors", links_to(call_.view, cat(place, "/connectors"))},
                           {"targets", links_to(call_.view, cat(place, "/targets"))}});
}

bool ShelfCalls::fits(const Shelf& shelf, const Json& record, const std::string& of_node) const {
  if (!of_node.empty() && text_in(record, "node_uuid") != of_node) return false;
  for (const char* field : {"resource_class", "state", "owner"}) {
    const std::string wanted = call_.parameter(field);
    if (!wanted.empty() && text_in(record, field) != wanted) return false;
  }
  const std::string address = shelf.path == "portgroups" ? call_.parameter("address") : "";
  return address.empty() || text_in(record, "address") == checked_mac(address);
}

ServedResponse ShelfCalls::list(const Shelf& shelf, const std::string& of_node) {
  std::string wanted = of_node;
  if (const std::string node = call_.parameter("node"); wanted.empty() && !node.empty()) {
    const Node* found = ledger_.find(node);
    const int status = shelf.path == "allocations" ? 400 : 404;  // as Ironic has it
    if (found == nullptr) throw Refusal(status, cat("Node ", node, " could not be found."));
    wanted = found->uuid;
  }
  std::vector<Json> rows;
  for (const Json& record : records(shelf)) {
    if (fits(shelf, record, wanted)) rows.push_back(shown_record(shelf, record, call_.view));
  }
  return json_answer(200, listed(call_, std::move(rows), {shelf.list, shelf.path, shelf.brief}));
}

void ShelfCalls::keep(const Shelf& shelf, const Json& record, const std::string& what) {
  ledger_.put_document(key_of(shelf, record), record);
  ledger_.record_site("inventory",
                      cat(to_lower(shelf.title), " ", text_in(record, "name", text_in(record, "uuid")), " ", what));
  conductor_.settle();
}

void ShelfCalls::check_nodes(const Shelf& shelf, const Json& record) const {
  const std::string node = text_in(record, "node_uuid");
  const bool asks = record.contains("node_uuid") && shelf.path != "allocations";
  if (asks && ledger_.by_uuid(node) == nullptr) throw Refusal(400, cat("Node ", node, " could not be found."));
}

/// The node and the nodes that it names; a refusal of the whole. "" = go on, else why it failed though it is kept.
std::string ShelfCalls::prepare_allocation(Json& record) {
  const std::string id = text_in(record, "node");
  record.erase("node");
  record["node_uuid"] = nullptr;
  record["last_error"] = nullptr;
  record["state"] = "allocating";
  const Node* node = id.empty() ? nullptr : ledger_.find(id);
  if (!id.empty() && node == nullptr) throw Refusal(400, cat("Node ", id, " could not be found."));
  if (text_in(record, "resource_class").empty()) {
    if (node == nullptr) throw Refusal(400, "The resource_class field is mandatory when not backfilling");
    record["resource_class"] = node->fields.value("resource_class", Json());
  }
  for (Json& candidate : record["candidate_nodes"]) {
    const Node* found = ledger_.find(text_of(candidate));
    if (found == nullptr) throw Refusal(400, cat("Node ", text_of(candidate), " could not be found."));
    candidate = found->uuid;
  }
  if (node != nullptr) {
    const bool is_free_to_choose = text_in(call_.body(), "uuid").empty();
    if (is_free_to_choose && !node->instance_uuid.empty()) record["uuid"] = node->instance_uuid;
    check_unique(shelf_named("allocations"), record, records(shelf_named("allocations")));
    return backfill(ledger_, record, *node);
  }
  check_unique(shelf_named("allocations"), record, records(shelf_named("allocations")));
  allocate(ledger_, record);
  return "";
}

ServedResponse ShelfCalls::create(const Shelf& shelf) {
  Json record = new_record(shelf, call_.body());
  check_nodes(shelf, record);
  std::string failed;
  if (shelf.path == "allocations")
    failed = prepare_allocation(record);
  else
    check_unique(shelf, record, records(shelf));
  record["created"] = ledger_.now();
  keep(shelf, record, "created");
  if (!failed.empty()) throw Refusal(400, failed);
  ServedResponse response = json_answer(201, shown_record(shelf, record, call_.view));
  response.headers.emplace_back("Location", cat(call_.view.base, "/v1/", key_of(shelf, record)));
  return response;
}

/// A volume is changed or taken away only from a machine that is off.
void ShelfCalls::check_off(const Shelf& shelf, const Json& record, const char* action) const {
  const Node* node = shelf.path.starts_with("volume/") ? ledger_.by_uuid(text_in(record, "node_uuid")) : nullptr;
  if (node == nullptr || node->power == Power::off) return;
  throw Refusal(400,
                cat("The requested action \"", to_lower(shelf.title), " ", action, "\" can not be performed on node \"",
                    node->uuid, "\" while it is in state \"", text_of(power_json(node->power), "None"), "\"."));
}

ServedResponse ShelfCalls::change(const Shelf& shelf, const Json& record) {
  Json changed = patched_record(shelf, record, call_.body());
  check_nodes(shelf, changed);
  check_off(shelf, record, "update");
  std::vector<Json> others = records(shelf);
  std::erase_if(others, [&](const Json& other) { return other["uuid"] == record["uuid"]; });
  check_unique(shelf, changed, others);
  const bool moved = changed.value("node_uuid", Json()) != record.value("node_uuid", Json());
  if (moved && shelf.path == "portgroups") {
    const Node& before = conductor_.node(text_in(record, "node_uuid"));
    if (std::any_of(before.ports.begin(), before.ports.end(),
                    [&](const Port& port) { return port.group == text_in(record, "uuid"); })) {
      throw Refusal(409, cat("Portgroup ", text_in(record, "uuid"),
                             " can not be associated to another node while it has "
                             "ports."));
    }
  }
  changed["updated"] = ledger_.now();
  keep(shelf, changed, "changed");
  return json_answer(200, shown_record(shelf, changed, call_.view));
}

ServedResponse ShelfCalls::remove(const Shelf& shelf, const Json& record) {
  const std::string uuid = text_in(record, "uuid");
  check_off(shelf, record, "deletion");
  for (const auto& [id, node] : ledger_.nodes()) {
    const bool holds =
        std::any_of(node.ports.begin(), node.ports.end(), [&](const Port& port) { return port.group == uuid; });
    if (shelf.path == "chassis" && text_in(node.fields, "chassis_uuid") == uuid) {
      throw Refusal(400, cat("Cannot complete the requested action because chassis ", uuid, " contains nodes."));
    }
    if (shelf.path == "portgroups" && holds) {
      throw Refusal(400, cat("Cannot complete the requested action because portgroup ", uuid, " contains ports."));
    }
  }
  const Node* held = shelf.path == "allocations" ? ledger_.by_uuid(text_in(record, "node_uuid")) : nullptr;
  if (held != nullptr && held->allocation == uuid) {
    check_release(*held, uuid);
    release(ledger_, ledger_.edit(held->uuid));
  }
  ledger_.remove_document(key_of(shelf, record));
  ledger_.record_site("inventory", cat(to_lower(shelf.title), " ", text_in(record, "name", uuid), " deleted"));
  conductor_.settle();
  return empty_answer(204);
}

}  // namespace hearth::bootstrap
