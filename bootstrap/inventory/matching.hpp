// Which nodes of the database an inventory's entries are, and what has to change there. Pure.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/inventory/draft.hpp"

namespace hearth::bootstrap {

struct ImportStep {
  NodeDraft draft;
  std::string node;  ///< UUID of the node that it is; empty = a new one
  std::vector<Port> new_ports;
  std::vector<std::string> stale_ports;  ///< addresses that the node has and the file doesn't
};

struct ImportPlan {
  std::vector<ImportStep> steps;
  std::vector<Fault> faults;
  std::vector<std::string> absent;  ///< UUIDs of nodes that the file doesn't have
};

/// What tells its machine from others by its management, as management_id() of its driver.
[[nodiscard]] std::string management_id_of(const Node& node);

/// Matches by MAC, by the management's identity, by UUID. An entry that fits several nodes is a fault, and so are a
/// name that another node has, and a new name for a node of which the entry has its BMC only, or a card only.
[[nodiscard]] ImportPlan plan_import(const std::vector<NodeDraft>& drafts, const std::vector<const Node*>& nodes);

/// Puts what the draft supplies into the node; what it doesn't mention stays. The driver of a node that is there
/// already stays, too. True when something changed.
bool apply_draft(const ImportStep& step, Node& node, Stamp now);

/// A node as an entry of instackenv.json; passwords only when asked for.
[[nodiscard]] Json inventory_entry(const Node& node, bool with_secrets);

}  // namespace hearth::bootstrap
