// The type of a plain scalar by its text: YAML 1.1 as PyYAML's safe loader resolves it, but for timestamps, which Heat
// keeps as text (so that an unquoted heat_template_version works).
#pragma once

#include <optional>
#include <string_view>

#include "metadata/model/value.hpp"

namespace hearth::metadata::yaml {

[[nodiscard]] Value resolve_plain(std::string_view text);
/// The value of an explicit tag such as "tag:yaml.org,2002:int"; nothing when the text is not of that type.
[[nodiscard]] std::optional<Value> resolve_tagged(std::string_view type, std::string_view text);

}  // namespace hearth::metadata::yaml
