#include <openssl/evp.h>

#include <memory>

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

const unsigned char* raw(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

bool verify(std::string_view text, std::string_view signature, std::string_view public_key_hex) {
  const std::string public_key = from_hex(public_key_hex);
  if (public_key_hex.size() != 64 || public_key.size() != 32) return false;
  const std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key(
      ::EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(public_key), public_key.size()), &::EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free);
  return key && ::EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         ::EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(text), text.size()) == 1;
}

}  // namespace hearth::frames
