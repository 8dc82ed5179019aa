// YAML as Python's yaml.safe_dump(value, default_flow_style=False) writes it: block style, sorted keys, two blanks a
// level, a list's dashes in the column of its key, lines of 80 columns. https://pyyaml.org/wiki/PyYAMLDocumentation
#pragma once

#include <string>

#include "base/json.hpp"

namespace hearth::agent {

[[nodiscard]] std::string yaml_text(const Json& value);

}  // namespace hearth::agent
