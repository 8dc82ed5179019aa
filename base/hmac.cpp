#include "base/hmac.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <memory>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace hearth {

namespace {

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

struct FreeMac {
  void operator()(EVP_MAC_CTX* context) const { ::EVP_MAC_CTX_free(context); }
};
using Mac = std::unique_ptr<EVP_MAC_CTX, FreeMac>;

Mac make_mac(HashKind kind) {
  if (evp_of(kind) == nullptr) return nullptr;
  EVP_MAC* algorithm = ::EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  Mac context(::EVP_MAC_CTX_new(algorithm));
  ::EVP_MAC_free(algorithm);  // the context holds it
  std::string digest = ::EVP_MD_get0_name(evp_of(kind));
  const std::array<OSSL_PARAM, 2> parameters = {
      ::OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), digest.size()),
      ::OSSL_PARAM_construct_end()};
  if (!context || ::EVP_MAC_CTX_set_params(context.get(), parameters.data()) != 1) return nullptr;
  return context;
}

/// One per thread and kind: to look the algorithm up takes twice as long as the HMAC of a short text.
EVP_MAC_CTX* mac_of(HashKind kind) {
  thread_local std::array<Mac, 4> kept;
  Mac& mac = kept.at(static_cast<std::size_t>(kind));
  if (!mac) mac = make_mac(kind);
  return mac.get();
}

}  // namespace

std::string hmac(HashKind kind, std::string_view key, std::string_view text) {
  EVP_MAC_CTX* mac = mac_of(kind);
  const unsigned char* secret = key.empty() ? bytes_of("") : bytes_of(key);  // null would mean the last key again
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  std::size_t size = 0;
  if (mac == nullptr || ::EVP_MAC_init(mac, secret, key.size(), nullptr) != 1 ||
      ::EVP_MAC_update(mac, bytes_of(text), text.size()) != 1 ||
      ::EVP_MAC_final(mac, digest.data(), &size, digest.size()) != 1) {
    throw Error(ErrorKind::unsupported, "this OpenSSL does not offer the HMAC that is asked for");
  }
  return {digest.begin(), digest.begin() + size};
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace hearth
