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

/// The bytes that lower-case hexadecimal stands for; empty when it is none.
[[nodiscard]] inline std::string from_hex(std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = digits.find(text[i]);
    const std::size_t low = i + 1 < text.size() ? digits.find(text[i + 1]) : std::string_view::npos;
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

[[nodiscard]] constexpr bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Whether it is digits as to_hex() writes them, one or more.
[[nodiscard]] inline bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Whether it is as many digits as to_hex() writes them.
[[nodiscard]] inline bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && (digits == 0 || is_hex(text));
}

}  // namespace hearth
