// Unpredictable names and tokens, from getrandom(2).
#pragma once

#include <string>

namespace hearth {

[[nodiscard]] std::string random_bytes(std::size_t count);

/// `bytes` random bytes as lower-case hexadecimal.
[[nodiscard]] std::string random_hex(std::size_t bytes);

/// A UUID of version 4 (RFC 9562), in lower case with dashes.
[[nodiscard]] std::string random_uuid();

}  // namespace hearth
