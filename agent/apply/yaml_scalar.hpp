// YAML by the rules that Python's tools use (YAML 1.1, https://yaml.org/type/): 0755 is octal, yes and on are true,
// 1:30 counts in sixties, ~ is null. yaml-cpp only splits the text; what a plain scalar means is decided here.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace hearth::agent {

/// The value of a plain (unquoted, untagged) scalar: null, boolean, number or text. Dates stay text.
[[nodiscard]] Json resolve_plain_scalar(std::string_view text);

/// One YAML document as JSON: keys become text (an int key its decimal form), merge keys ("<<") and anchors are
/// resolved.
[[nodiscard]] Result<Json> parse_yaml11(const std::string& text, std::string_view source);

}  // namespace hearth::agent
