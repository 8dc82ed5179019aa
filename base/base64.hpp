// Base64 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearth {

/// With padding, without line ends.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
/// Nothing when the text is no padded Base64. Both alphabets are read: the usual one and the one for URLs.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace hearth
