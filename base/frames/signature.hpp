// Ed25519 signatures (RFC 8032) over short texts such as an image's root.
#pragma once

#include <string>
#include <string_view>

namespace hearth::frames {

/// 64 bytes. `key_pem` is a private key as `openssl genpkey -algorithm ed25519` writes it. Throws Error(input).
[[nodiscard]] std::string sign(std::string_view text, std::string_view key_pem);
/// The 32 bytes of the public key, as hexadecimal, of such a private key. Throws Error(input).
[[nodiscard]] std::string public_key_of(std::string_view key_pem);
/// Whether `signature` is one over `text` by the owner of the public key (64 hexadecimal digits).
[[nodiscard]] bool verify(std::string_view text, std::string_view signature, std::string_view public_key_hex);

}  // namespace hearth::frames
