// Why a value is not in a server's document yet: whom it waits for, since when, and what to do. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bootstrap/why/causes/facts.hpp"
#include "bootstrap/why/causes/finding.hpp"
#include "metadata/compile/explain.hpp"

namespace hearth::bootstrap::why {

struct ValueFacts {
  metadata::Explanation value;  ///< one that waits
  std::string server;           ///< as it was asked for
  std::string stack;            ///< its name
  /// What is known of the stack of that name that runs; nothing where nobody knows one.
  std::optional<StackFacts> running;
  Json unbegun = Json::array();  ///< its resources whose turn has not come: what waits for them waits for what is ahead
  std::vector<std::string>
      lacking{};  ///< resources of the value's chain that it does not have: it is of other templates
};

/// Never empty.
[[nodiscard]] std::vector<Finding> causes_of(const ValueFacts& facts);

}  // namespace hearth::bootstrap::why
