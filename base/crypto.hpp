// The few functions of cryptography that other sources of base are built on, besides hash.hpp, hmac.hpp and
// net/tls_client.hpp. All of them exist twice: by OpenSSL for hearth, and in base/gnutls for the static agent
// (agent/README.md says why). A program gets one of the two by the library hearth_crypto.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace hearth {

using Blake2bDigest = std::array<unsigned char, 64>;

/// BLAKE2b-512 without a key (RFC 7693).
[[nodiscard]] Blake2bDigest blake2b(std::string_view bytes);

/// Whether `signature` is the Ed25519 signature (RFC 8032) of `text` by the owner of the 32 bytes of `public_key`.
[[nodiscard]] bool verify_ed25519(std::string_view text, std::string_view signature, std::string_view public_key);

/// Name and version of the library.
[[nodiscard]] std::string crypto_version();

}  // namespace hearth
