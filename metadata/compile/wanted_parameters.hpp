// An environment to fill in: what a template asks for and nobody gave.
#pragma once

#include <string>

#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// YAML, each parameter with its type, constraints and description above it; `all`: those with a value, too. What is
/// hidden is not shown.
[[nodiscard]] std::string wanted_parameters(Stack& root, bool all);

}  // namespace hearth::metadata
