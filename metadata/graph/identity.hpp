// Ids and names of stacks and resources, derived from a seed and the path, so that the same input gives the same ones.
#pragma once

#include <string>
#include <string_view>

namespace hearth::metadata {

/// A UUID of version 4's form.
[[nodiscard]] std::string derived_uuid(std::string_view seed, std::string_view kind, std::string_view path);
/// Hexadecimal digits for keys and tokens: at most 64.
[[nodiscard]] std::string derived_secret(std::string_view seed, std::string_view kind, std::string_view path,
                                         std::size_t length);
/// Heat's twelve characters of a UUID: its 60 bits of time in base32.
[[nodiscard]] std::string short_id(std::string_view uuid);
/// STACK-RESOURCE-SHORTID; longer than `limit` it keeps two characters at the front and its end.
[[nodiscard]] std::string physical_name(std::string_view stack, std::string_view resource, std::string_view uuid,
                                        std::size_t limit = 255);

}  // namespace hearth::metadata
