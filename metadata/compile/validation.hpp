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
using Warnings = std::vector<std::pair<Mark, std::string>>;

/// What is allowed but likely not meant: a function's name misspelt, entries of the registry that never win,
/// parameters and defaults that nothing reads. Of templates in which mistakes were mended, nothing is said of
/// parameters: what read them may be gone.
[[nodiscard]] Warnings warnings_as_written(Stack& root, bool mended = false);
/// Likewise what takes values: conditions that can't be decided, deployments that no hook runs or that never signal,
/// outputs of them that nobody declares, metadata that no agent reads. The stack has to be without fault.
[[nodiscard]] Warnings warnings_of_values(Stack& root);

}  // namespace hearth::metadata
