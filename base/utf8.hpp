// UTF-8: decoding of bytes that may be anything, and encoding. RFC 3629: no surrogates, no overlong forms.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hearth {

constexpr char32_t k_replacement_character = 0xfffd;

/// One step of decoding. An invalid byte sequence gives U+FFFD and the length of its longest valid prefix (at least 1),
/// which is how Unicode recommends replacing (and how Python and browsers do it).
struct DecodedCharacter {
  char32_t value = k_replacement_character;
  std::size_t length = 0;  ///< bytes taken
  bool valid = false;
};

/// Decodes the character at the start of `bytes`, which must not be empty.
[[nodiscard]] DecodedCharacter decode_utf8(std::string_view bytes);

/// Appends the UTF-8 form; surrogates and values above U+10FFFF become U+FFFD.
void append_utf8(std::string& out, char32_t code_point);

/// How many characters: bytes, less those that continue one.
[[nodiscard]] std::size_t characters_in(std::string_view text);

[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

/// The text with every invalid sequence replaced by U+FFFD, as Python's decode(errors="replace").
[[nodiscard]] std::string replace_invalid_utf8(std::string_view bytes);

}  // namespace hearth
