// Keyed digests (RFC 2104), Base64 (RFC 4648) and the comparison that takes the same time whatever it compares.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/hash.hpp"

namespace hearth {

/// The raw bytes of the HMAC.
[[nodiscard]] std::string hmac(HashKind kind, std::string_view key, std::string_view text);

/// With padding, without line ends.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
/// Nothing when the text is no padded Base64. Both alphabets are read: the usual one and the one for URLs.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

/// For secrets: the time taken tells nothing but the lengths.
[[nodiscard]] bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace hearth
