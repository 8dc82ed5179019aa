// YAML by the rules that Python's tools use (YAML 1.1). yaml-cpp only splits the text; what a plain scalar means,
// base/yaml_scalar.hpp says.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace hearth::agent {

/// One YAML document as JSON: keys become text (an int key its decimal form), merge keys ("<<") and anchors are
/// resolved.
[[nodiscard]] Result<Json> parse_yaml11(const std::string& text, std::string_view source);

}  // namespace hearth::agent
