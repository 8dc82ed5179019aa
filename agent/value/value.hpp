// Values of metadata and of the environment, as the Python programs take them.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// Text of a value as a variable or an argument has it: text as it is, null and missing empty, all else JSON.
[[nodiscard]] std::string value_text(const Json* value);
/// As Python judges a value: null, false, 0 and empty ones are not set.
[[nodiscard]] bool is_set(const Json* value);

/// Adds a variable unless its name or value can't be one.
void put_variable(Environment& env, const std::string& name, const std::string& value);

}  // namespace hearth::agent
