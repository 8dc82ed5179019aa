// Keyed digests (RFC 2104) and the comparison that takes the same time whatever it compares.
#pragma once

#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "base/hash.hpp"

namespace hearth {

/// The raw bytes of the HMAC.
[[nodiscard]] std::string hmac(HashKind kind, std::string_view key, std::string_view text);

/// For secrets: the time taken tells nothing but the lengths.
[[nodiscard]] bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace hearth
