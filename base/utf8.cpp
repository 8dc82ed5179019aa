#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hearth {

namespace {

/// What a lead byte promises: how many bytes follow, and the range allowed for the first of them (RFC 3629 section 4).
struct Lead {
  std::size_t tail = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  char32_t bits = 0;
};

/// tail = 0 stands for a byte that can't lead.
Lead lead_of(unsigned char byte) {
  if (byte >= 0xc2 && byte <= 0xdf) return {1, 0x80, 0xbf, byte & 0x1fU};
  if (byte == 0xe0) return {2, 0xa0, 0xbf, 0};
  if (byte == 0xed) return {2, 0x80, 0x9f, 0xd};
  if (byte >= 0xe1 && byte <= 0xef) return {2, 0x80, 0xbf, byte & 0xfU};
  if (byte == 0xf0) return {3, 0x90, 0xbf, 0};
  if (byte >= 0xf1 && byte <= 0xf3) return {3, 0x80, 0xbf, byte & 0x7U};
  if (byte == 0xf4) return {3, 0x80, 0x8f, 4};
  return {};
}

bool is_surrogate(char32_t code_point) { return code_point >= 0xd800 && code_point <= 0xdfff; }

/// How many leading bytes are ASCII, in steps of a word: most texts are nothing else.
std::size_t ascii_prefix(std::string_view bytes) {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  std::size_t length = 0;
  for (std::uint64_t word = 0; length + sizeof word <= bytes.size(); length += sizeof word) {
    std::memcpy(&word, bytes.data() + length, sizeof word);
    if ((word & high_bits) != 0) break;
  }
  while (length < bytes.size() && static_cast<unsigned char>(bytes[length]) < 0x80) ++length;
  return length;
}

}  // namespace

DecodedCharacter decode_utf8(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes.front());
  if (first < 0x80) return {first, 1, true};
  Lead lead = lead_of(first);
  if (lead.tail == 0) return {k_replacement_character, 1, false};
  char32_t value = lead.bits;
  for (std::size_t i = 1; i <= lead.tail; ++i) {
    const unsigned char byte = i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
    if (byte < lead.low || byte > lead.high) return {k_replacement_character, i, false};
    value = (value << 6U) | (byte & 0x3fU);
    lead.low = 0x80;
    lead.high = 0xbf;
  }
  return {value, lead.tail + 1, true};
}

void append_utf8(std::string& out, char32_t code_point) {
  if (code_point > 0x10ffff || is_surrogate(code_point)) code_point = k_replacement_character;
  const auto push = [&out](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code_point < 0x80) {
    push(code_point);
    return;
  }
  if (code_point < 0x800) {
    push(0xc0U | (code_point >> 6U));
  } else {
    if (code_point < 0x10000) {
      push(0xe0U | (code_point >> 12U));
    } else {
      push(0xf0U | (code_point >> 18U));
      push(0x80U | ((code_point >> 12U) & 0x3fU));
    }
    push(0x80U | ((code_point >> 6U) & 0x3fU));
  }
  push(0x80U | (code_point & 0x3fU));
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

bool is_valid_utf8(std::string_view bytes) {
  while (true) {
    bytes.remove_prefix(ascii_prefix(bytes));
    if (bytes.empty()) return true;
    const DecodedCharacter next = decode_utf8(bytes);
    if (!next.valid) return false;
    bytes.remove_prefix(next.length);
  }
}

std::string replace_invalid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const DecodedCharacter next = decode_utf8(bytes);
    append_utf8(out, next.value);
    bytes.remove_prefix(next.length);
  }
  return out;
}

}  // namespace hearth
