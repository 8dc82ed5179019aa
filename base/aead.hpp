// Authenticated encryption: who has no key reads nothing of a text, and can't change it unseen.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearth {

constexpr std::size_t k_aead_key_size = 32;
constexpr std::size_t k_aead_nonce_size = 12;
constexpr std::size_t k_aead_tag_size = 16;

/// AES-256-GCM (NIST SP 800-38D): the ciphertext and its tag. No two texts may have the same key and nonce. `beside` is
/// not in it, but must be the same when it is opened.
[[nodiscard]] std::string aead_seal(std::string_view key, std::string_view nonce, std::string_view beside,
                                    std::string_view text);
/// Nothing where it is not what was sealed with all of these.
[[nodiscard]] std::optional<std::string> aead_open(std::string_view key, std::string_view nonce,
                                                   std::string_view beside, std::string_view sealed);

}  // namespace hearth
