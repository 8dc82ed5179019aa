// Upper and lower case beyond ASCII: Latin, Greek and Cyrillic letters that change into one other letter.
#pragma once

#include <cwctype>
#include <string>

#include "base/utf8.hpp"

namespace hearth::metadata::yaql {

namespace detail {
inline void append(std::string& out, char32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0U | (c >> 6U)));
    out.push_back(static_cast<char>(0x80U | (c & 0x3fU)));
  } else {
    out.push_back(static_cast<char>(0xe0U | (c >> 12U)));
    out.push_back(static_cast<char>(0x80U | ((c >> 6U) & 0x3fU)));
    out.push_back(static_cast<char>(0x80U | (c & 0x3fU)));
  }
}

inline char32_t upper(char32_t c) {
  if (c >= 'a' && c <= 'z') return c - 32;
  if ((c >= 0xe0 && c <= 0xfe && c != 0xf7) || (c >= 0x3b1 && c <= 0x3c9 && c != 0x3c2) || (c >= 0x430 && c <= 0x44f))
    return c - 32;
  if (c >= 0x450 && c <= 0x45f) return c - 80;
  if (c >= 0x100 && c <= 0x17e && c != 0x131 && c != 0x138 && c != 0x149 && c != 0x178) {
    const bool odd_is_lower = c < 0x139 || (c > 0x148 && c < 0x179);
    return (c % 2 == 1) == odd_is_lower ? c - 1 : c;
  }
  return c;
}

inline char32_t lower(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if ((c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9) || (c >= 0x410 && c <= 0x42f)) return c + 32;
  if (c >= 0x400 && c <= 0x40f) return c + 80;
  if (c >= 0x100 && c <= 0x17e && c != 0x130 && c != 0x178) {
    const bool even_is_upper = c < 0x139 || (c > 0x148 && c < 0x179);
    return (c % 2 == 0) == even_is_upper ? c + 1 : c;
  }
  return c;
}

template <class Change>
std::string changed(std::string_view text, Change change) {
  std::string out;
  while (!text.empty()) {
    const DecodedCharacter next = decode_utf8(text);
    const char32_t other = change(next.value);
    if (other == next.value) {
      out += text.substr(0, next.length);
    } else {
      append(out, other);
    }
    text.remove_prefix(next.length);
  }
  return out;
}
}  // namespace detail

[[nodiscard]] inline std::string upper_case(std::string_view text) { return detail::changed(text, detail::upper); }
[[nodiscard]] inline std::string lower_case(std::string_view text) { return detail::changed(text, detail::lower); }

}  // namespace hearth::metadata::yaql
