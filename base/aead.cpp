#include "base/aead.hpp"

#include <openssl/evp.h>

#include <memory>

#include "base/error.hpp"

namespace hearth {

namespace {

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&::EVP_CIPHER_CTX_free)>;

const unsigned char* bytes_in(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

/// Null where key or nonce are of another size, or this OpenSSL has no such cipher.
Cipher cipher_of(std::string_view key, std::string_view nonce, std::string_view beside, bool seals) {
  Cipher cipher(::EVP_CIPHER_CTX_new(), &::EVP_CIPHER_CTX_free);
  int length = 0;
  const bool ready =
      key.size() == k_aead_key_size && nonce.size() == k_aead_nonce_size && cipher &&
      ::EVP_CipherInit_ex(cipher.get(), ::EVP_aes_256_gcm(), nullptr, bytes_in(key), bytes_in(nonce), seals ? 1 : 0) ==
          1 &&
      ::EVP_CipherUpdate(cipher.get(), nullptr, &length, bytes_in(beside), static_cast<int>(beside.size())) == 1;
  if (!ready) cipher.reset();
  return cipher;
}

/// Whether all of `text` went through the cipher, but for what its end has to say.
bool pass_through(const Cipher& cipher, std::string_view text, std::string& out) {
  out.resize(text.size());
  int length = 0;
  return text.size() <= INT32_MAX && ::EVP_CipherUpdate(cipher.get(), reinterpret_cast<unsigned char*>(out.data()),
                                                        &length, bytes_in(text), static_cast<int>(text.size())) == 1;
}

}  // namespace

std::string aead_seal(std::string_view key, std::string_view nonce, std::string_view beside, std::string_view text) {
  const Cipher cipher = cipher_of(key, nonce, beside, true);
  std::string out;
  std::string tag(k_aead_tag_size, '\0');
  int length = 0;
  if (!cipher || !pass_through(cipher, text, out) ||
      ::EVP_CipherFinal_ex(cipher.get(), reinterpret_cast<unsigned char*>(tag.data()), &length) != 1 ||
      ::EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag.size()), tag.data()) != 1) {
    throw Error(ErrorKind::unsupported, "this OpenSSL can't seal a text by AES-256-GCM");
  }
  return out + tag;
}

std::optional<std::string> aead_open(std::string_view key, std::string_view nonce, std::string_view beside,
                                     std::string_view sealed) {
  if (sealed.size() < k_aead_tag_size) return std::nullopt;
  const Cipher cipher = cipher_of(key, nonce, beside, false);
  std::string tag(sealed.substr(sealed.size() - k_aead_tag_size));
  std::string out;
  unsigned char rest = 0;
  int length = 0;
  if (!cipher || !pass_through(cipher, sealed.substr(0, sealed.size() - k_aead_tag_size), out) ||
      ::EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag.size()), tag.data()) != 1 ||
      ::EVP_CipherFinal_ex(cipher.get(), &rest, &length) != 1) {
    return std::nullopt;
  }
  return out;
}

}  // namespace hearth
