// os-net-config's schema as a table: which fields an entry of each type has and what they hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace hearth::agent::net {

/// Why a type that os-net-config knows cannot be configured by this program; empty for those that can, and for unknown
/// ones.
[[nodiscard]] std::string_view unsupported_reason(std::string_view type);

/// {get_param: X} or {get_input: X}: a value that Heat was to fill in.
[[nodiscard]] bool is_parameter(const Json& value);

/// "PATH: what is wrong" for each offence below `entry`; paths are relative to it. `remove` = an entry of
/// remove_config.
[[nodiscard]] std::vector<std::string> schema_offences(const Json& entry, bool remove);

/// What is wrong with a section, one text per entry of it: where in the document, and in what way. The rules are those
/// of os-net-config's schema (schema.yaml there); {get_param: X} and {get_input: X} stand for any value.
[[nodiscard]] std::vector<std::string> validate_section(const Json& entries, const std::string& section);

}  // namespace hearth::agent::net
