#include "bootstrap/conductor/allocations.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/conductor/transition.hpp"

namespace hearth::bootstrap {

namespace {

std::vector<std::string> texts_in(const Json& record, const char* key) {
  return record.value(key, std::vector<std::string>());
}

bool has_traits(const Node& node, const std::vector<std::string>& traits) {
  return std::all_of(traits.begin(), traits.end(), [&](const std::string& trait) {
    return std::find(node.traits.begin(), node.traits.end(), trait) != node.traits.end();
  });
}

bool is_free(const Node& node, const Json& record) {
  const std::vector<std::string> candidates = texts_in(record, "candidate_nodes");
  const bool asked_for =
      candidates.empty() || std::find(candidates.begin(), candidates.end(), node.uuid) != candidates.end();
  const std::string owner = text_in(record, "owner");
  const bool his = owner.empty() || owner == text_in(node.fields, "owner") || owner == text_in(node.fields, "lessee");
  return asked_for && his && is_available(node) && given_to(node).empty() && node.power != Power::unknown &&
         text_in(node.fields, "resource_class") == text_in(record, "resource_class");
}

/// `some_free`: but none of them has the traits.
std::string reason_for_none(const Json& record, bool some_free) {
  const std::string resource_class = text_in(record, "resource_class");
  if (some_free) {
    return cat("no suitable nodes have the requested traits ", join(texts_in(record, "traits"), ", "));
  }
  if (!texts_in(record, "candidate_nodes").empty())
    return cat("none of the requested nodes are available and match the resource class ", resource_class);
  return cat("no available nodes match the resource class ", resource_class);
}

void hold(Ledger& ledger, Json& record, const Node& node) {
  Node& held = ledger.edit(node.uuid);
  held.allocation = text_in(record, "uuid");
  held.instance_uuid = held.allocation;
  record["node_uuid"] = node.uuid;
  record["state"] = "active";
  record["last_error"] = nullptr;
  ledger.record(held, "inventory", cat("allocated to ", text_in(record, "name", held.allocation)));
}

}  // namespace

void allocate(Ledger& ledger, Json& record) {
  const std::vector<std::string> traits = texts_in(record, "traits");
  const Node* chosen = nullptr;
  bool some_free = false;
  const auto fits = [&](const Node& node) {
    const bool free = is_free(node, record);
    some_free = some_free || free;
    if (free && has_traits(node, traits)) chosen = &node;
    return chosen != nullptr;
  };
  const std::string name = text_in(record, "name");
  const Node* namesake = ledger.find(name);
  if (namesake == nullptr || namesake->name != name || !fits(*namesake)) ledger.each_available(fits);
  if (chosen != nullptr) return hold(ledger, record, *chosen);
  record["state"] = "error";
  record["last_error"] =
      cat("Failed to process allocation ", text_in(record, "uuid"), ": ", reason_for_none(record, some_free), ".");
}

std::string backfill(Ledger& ledger, Json& record, const Node& node) {
  std::vector<std::string> faults;
  const std::string own_class = text_in(node.fields, "resource_class");
  const std::string wanted = text_in(record, "resource_class");
  const std::vector<std::string> candidates = texts_in(record, "candidate_nodes");
  if (node.state != State::active) {
    faults.push_back(
        cat("Node must be in the \"active\" state, but the current state is \"", bootstrap::name(node.state), "\""));
  }
  if (wanted != own_class)
    faults.push_back(cat("Resource class ", own_class, " does not match the requested resource class ", wanted));
  if (!has_traits(node, texts_in(record, "traits"))) {
    faults.push_back(cat("List of traits ", join(node.traits, ", "), " does not match the requested traits ",
                         join(texts_in(record, "traits"), ", ")));
  }
  if (!candidates.empty() && std::find(candidates.begin(), candidates.end(), node.uuid) == candidates.end())
    faults.push_back(cat("Candidate nodes must be empty or contain the target node, but got ", join(candidates, ", ")));
  if (!node.instance_uuid.empty() && node.instance_uuid != text_in(record, "uuid"))
    faults.push_back(cat("Node ", node.uuid, " is associated with instance ", node.instance_uuid));
  if (faults.empty()) {
    hold(ledger, record, node);
    return "";
  }
  const std::string reason = cat("Failed to process allocation ", text_in(record, "uuid"),
                                 ": Cannot backfill an allocation for node ", node.uuid, ": ", join(faults, "; "), ".");
  record["state"] = "error";
  record["last_error"] = reason;
  return reason;
}

void release(Ledger& ledger, Node& node) {
  if (!node.allocation.empty()) ledger.remove_document(cat("allocations/", node.allocation));
  node.allocation.clear();
  node.instance_uuid.clear();
}

void check_release(const Node& node, const std::string& allocation) {
  if (node.maintenance) return;
  if (node.target && !may_change(node.state)) {
    throw Refusal(
        409, cat("Cannot remove allocation ", allocation, " for node ", node.uuid, ", because the node is in state ",
                 name(node.state), " where updates are not allowed (and maintenance mode is off)"));
  }
  if (node.state == State::active) {
    throw Refusal(409, cat("Cannot remove allocation ", allocation, " for node ", node.uuid,
                           ", because the node is active (and maintenance mode is off)"));
  }
}

void forget_records_of(Ledger& ledger, const Node& node) {
  if (!node.allocation.empty()) ledger.remove_document(cat("allocations/", node.allocation));
  for (const char* shelf : {"portgroups/", "volume/connectors/", "volume/targets/"}) {
    for (const Json& record : ledger.documents(shelf)) {
      if (text_in(record, "node_uuid") == node.uuid) ledger.remove_document(cat(shelf, text_in(record, "uuid")));
    }
  }
  for (const char* kind : {"bios/", "firmware/", "introspection/", "agent-log/"})
    ledger.remove_document(cat(kind, node.uuid));
}

}  // namespace hearth::bootstrap
