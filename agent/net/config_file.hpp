// The file that os-net-config reads: YAML (1.1, as PyYAML reads it) or JSON, an object with the sections
// network_config, minimum_config, fallback_config and remove_config.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace hearth::agent::net {

/// The whole document; null when the text is empty. Text that begins with "{" is read as JSON first, so that tabs and
/// every escape are fine there.
[[nodiscard]] Result<Json> parse_config(const std::string& text, std::string_view source);

/// The entries of a section; empty when there is none. Throws Error(input) when it is no list.
[[nodiscard]] const Json& section_of(const Json& document, const std::string& section, std::string_view source);

}  // namespace hearth::agent::net
