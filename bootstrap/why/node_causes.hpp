// Why a node is where it is: what its conductor knows of it, made into causes, the true one first. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/why/finding.hpp"

namespace hearth::bootstrap::why {

struct NodeFacts {
  Json node;                      ///< GET /v1/nodes/NODE
  Json events = Json::array();    ///< of it, oldest first: {"at", "kind", "text", "detail"}
  std::vector<std::string> macs;  ///< of its ports
  std::optional<Json> boot_log;   ///< nullopt: this conductor boots no machines itself
  Stamp now = 0;
};

/// Never empty: of a node that waits for nothing it says what may come next.
[[nodiscard]] std::vector<Finding> node_causes(const NodeFacts& facts);

}  // namespace hearth::bootstrap::why
