// The functions of all versions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metadata/language/expression.hpp"

namespace hearth::metadata {

/// The function of this name in templates of this version. `removed` when an older version had it: using it is an
/// error; null when the version does not know the name: then the map is plain data.
[[nodiscard]] const Function* find_function(std::string_view name, Version version);
/// The same inside conditions; functions that are not for conditions are refused when used.
[[nodiscard]] const Function* find_condition_function(std::string_view name, Version version);
/// `if`, `Fn::If`: chosen while checking, only the branch taken counts.
[[nodiscard]] bool is_branch(std::string_view name, Version version);
/// What a function is for, in a line; empty for what is none.
[[nodiscard]] std::string_view function_purpose(std::string_view name);
/// Known names, for "did you mean".
[[nodiscard]] std::vector<std::string> function_names(Version version);
[[nodiscard]] std::vector<std::string> condition_function_names(Version version);

// The rooms' tables.
[[nodiscard]] const std::vector<Function>& lookup_functions();
[[nodiscard]] const std::vector<Function>& text_functions();
[[nodiscard]] const std::vector<Function>& collection_functions();
[[nodiscard]] const std::vector<Function>& condition_functions();
[[nodiscard]] const std::vector<Function>& cloud_functions();
[[nodiscard]] const std::vector<Function>& yaql_functions();

}  // namespace hearth::metadata
