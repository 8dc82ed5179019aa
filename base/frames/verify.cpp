#include "base/crypto.hpp"
#include "base/frames/signature.hpp"
#include "base/hex.hpp"

namespace hearth::frames {

bool verify(std::string_view text, std::string_view signature, std::string_view public_key_hex) {
  const std::string public_key = from_hex(public_key_hex);
  if (public_key_hex.size() != 64 || public_key.size() != 32) return false;
  return verify_ed25519(text, signature, public_key);
}

}  // namespace hearth::frames
