// Times as HTTP writes them: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth {

[[nodiscard]] std::string format_http_date(std::int64_t unix_seconds);
/// Reads the preferred form only; nothing for any other text.
[[nodiscard]] std::optional<std::int64_t> parse_http_date(std::string_view text);

}  // namespace hearth
