// Why a node is where it is: what its conductor knows of it, made into causes, the true one first. Pure.
#pragma once

#include <vector>

#include "bootstrap/why/causes/facts.hpp"

namespace hearth::bootstrap::why {

/// Never empty: of a node that waits for nothing it says what may come next.
[[nodiscard]] std::vector<Finding> node_causes(const NodeFacts& facts);

}  // namespace hearth::bootstrap::why
