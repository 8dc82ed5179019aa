// The names of Heat's built-in resource types: those that Hearth implements and those that need a mapping.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::metadata {

/// Sorted.
[[nodiscard]] const std::vector<std::string>& builtin_type_names();
[[nodiscard]] bool is_builtin_type(std::string_view name);

}  // namespace hearth::metadata
