// Why a node is where it is: what its conductor knows of it, made into causes, the true one first. Pure.
#pragma once

#include <vector>

#include "bootstrap/why/causes/facts.hpp"

namespace hearth::bootstrap::why {

/// Whether a person has something to see at a node, as the REST face shows it: it failed, was set aside, or waits for
/// its machine or for somebody.
[[nodiscard]] bool is_troubled(const Json& node);
/// Never empty: of a node that waits for nothing it says what may come next.
[[nodiscard]] std::vector<Finding> node_causes(const NodeFacts& facts);

}  // namespace hearth::bootstrap::why
