// UUIDs and their texts (RFC 9562). A GUID, in Microsoft's and UEFI's structures, is the same with its first three
// numbers stored lowest byte first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearth {

/// 32 digits as 8-4-4-4-12.
[[nodiscard]] std::string with_uuid_dashes(std::string digits);

/// The text of 16 bytes, in lower case; empty for another number of them.
[[nodiscard]] std::string uuid_text(std::string_view bytes);
[[nodiscard]] std::string guid_text(std::string_view bytes);

/// The 16 bytes of a text; what is no hexadecimal digit in it is passed over.
[[nodiscard]] std::string uuid_bytes(std::string_view text);
[[nodiscard]] std::string guid_bytes(std::string_view text);

/// With its dashes, in either case.
[[nodiscard]] bool is_uuid(std::string_view text);

/// With its dashes or with none, in either case; gives lower case with dashes.
[[nodiscard]] std::optional<std::string> parse_uuid(std::string_view text);

}  // namespace hearth
