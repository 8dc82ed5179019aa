#pragma once

#include <string>
#include <string_view>

namespace hearth {

/// Bytes as lower-case hexadecimal.
[[nodiscard]] inline std::string to_hex(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    out.push_back(digits[static_cast<unsigned char>(byte) >> 4U]);
    out.push_back(digits[static_cast<unsigned char>(byte) & 15U]);
  }
  return out;
}

/// Whether it is as many digits as to_hex() writes them.
[[nodiscard]] inline bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace hearth
