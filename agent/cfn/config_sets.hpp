// Which sections of an AWS::CloudFormation::Init are applied, in which order. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::agent {

/// Without configSets: the section "config". With them: those in `selected` (comma separated; "default" when empty),
/// each a list of sections and of {"ConfigSet": name}. Throws Error(input) for sets that are not there, empty, or in a
/// circle.
[[nodiscard]] std::vector<std::string> sections_to_apply(const Json& init, const std::string& selected);

}  // namespace hearth::agent
