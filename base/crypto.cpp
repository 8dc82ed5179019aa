#include "base/crypto.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <memory>

#include "base/error.hpp"

namespace hearth {

namespace {

const unsigned char* raw(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

Blake2bDigest blake2b(std::string_view bytes) {
  Blake2bDigest digest{};
  unsigned length = 0;
  if (::EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, ::EVP_blake2b512(), nullptr) != 1) {
    throw Error(ErrorKind::unsupported, "this OpenSSL has no BLAKE2b");
  }
  return digest;
}

bool verify_ed25519(std::string_view text, std::string_view signature, std::string_view public_key) {
  const std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key(
      ::EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(public_key), public_key.size()), &::EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free);
  return key && ::EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         ::EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(text), text.size()) == 1;
}

std::string crypto_version() { return ::OpenSSL_version(OPENSSL_VERSION); }

}  // namespace hearth
