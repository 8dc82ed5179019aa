// Reading single values out of the metadata: dotted keys and the types that --type names.
#pragma once

#include <optional>
#include <string>

#include "agent/apply/root.hpp"

namespace hearth::agent {

/// The value at "a.b.0": object members, list elements by index (negative ones count from the end). Null counts as
/// missing. The pointer is into `root`.
[[nodiscard]] const Json* find_key(const MetadataRoot& root, const std::string& dotted);

/// Whether `type` is one of int, default, netaddress, netdevice, dsn, swiftdevices, username, raw.
[[nodiscard]] bool is_key_type(const std::string& type);

/// Whether Python's text of a value has the form of `type`; a single newline at the very end is tolerated.
[[nodiscard]] bool matches_key_type(const std::string& text, const std::string& type);

/// As --key prints it: objects, lists and booleans as JSON, all else as text.
[[nodiscard]] std::string printed_value(const Json& value);

}  // namespace hearth::agent
