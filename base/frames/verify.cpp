#include "base/crypto.hpp"
#include "base/frames/signature.hpp"

namespace hearth::frames {

namespace {

/// Nothing when it is no hexadecimal text.
std::string from_hex(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::size_t high = digits.find(text[i]);
    const std::size_t low = digits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

}  // namespace

bool verify(std::string_view text, std::string_view signature, std::string_view public_key_hex) {
  const std::string public_key = from_hex(public_key_hex);
  if (public_key_hex.size() != 64 || public_key.size() != 32) return false;
  return verify_ed25519(text, signature, public_key);
}

}  // namespace hearth::frames
