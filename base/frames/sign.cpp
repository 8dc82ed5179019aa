#include <openssl/evp.h>

#include <memory>

#include "base/certificate.hpp"
#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/hex.hpp"

namespace hearth::frames {

namespace {

PrivateKey signing_key(std::string_view pem) {
  PrivateKey key = read_key(pem);
  if (!key || ::EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519) {
    throw Error(ErrorKind::input, "the signing key is no Ed25519 private key in PEM")
        .hint("openssl genpkey -algorithm ed25519 -out KEY makes one.");
  }
  return key;
}

}  // namespace

std::string sign(std::string_view text, std::string_view key_pem) {
  const PrivateKey key = signing_key(key_pem);
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free);
  std::string signature(64, 0);
  std::size_t length = signature.size();
  const bool done = ::EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
                    ::EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &length,
                                     reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
  if (!done) throw Error(ErrorKind::unsupported, "this OpenSSL does not sign with Ed25519");
  return signature;
}

std::string public_key_of(std::string_view key_pem) {
  const PrivateKey key = signing_key(key_pem);
  std::string bytes(32, 0);
  std::size_t length = bytes.size();
  if (::EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(bytes.data()), &length) != 1) {
    throw Error(ErrorKind::input, "the signing key has no public half");
  }
  return to_hex(bytes);
}

}  // namespace hearth::frames
