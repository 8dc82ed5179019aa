// Everything that is wrong with a stack and those inside it, all at once.
#pragma once

#include <string>
#include <vector>

#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// Faults in the order in which Heat would meet them; nested ones have "resources.NAME<FILE>" in front.
[[nodiscard]] std::vector<Fault> validate_stack(Stack& stack);
/// Names of a circle among resources of one stack: a → b → a. Empty when there is none.
[[nodiscard]] std::vector<std::string> find_circle(Stack& stack);
/// Throws StackValidationFailed for names that Heat does not take.
void check_stack_name(const std::string& name);
/// What is allowed but likely not meant: a function's name misspelt, entries of the registry that never win,
/// parameters and defaults that nothing reads, deployments that no hook runs or that never signal.
/// (of a faultless stack only: their values have to be known).
[[nodiscard]] std::vector<std::pair<Mark, std::string>> stack_warnings(Stack& root, bool faultless = true);

}  // namespace hearth::metadata
