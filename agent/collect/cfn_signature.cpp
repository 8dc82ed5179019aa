#include "agent/collect/cfn_signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

std::string hmac_sha256_base64(const std::string& secret, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes, text.size(), digest.data(),
             &size) == nullptr) {
    throw Error(ErrorKind::io, "signing a request: HMAC-SHA256 is not available");
  }
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> encoded{};
  const int length = ::EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(size));
  return {encoded.begin(), encoded.begin() + length};
}

}  // namespace

std::string sign_query(const std::string& secret, const Url& url, QueryParameters parameters) {
  std::sort(parameters.begin(), parameters.end());
  return hmac_sha256_base64(secret, cat("GET\n", url.authority(), "\n", url.path, "\n", encode_query(parameters)));
}

}  // namespace hearth::agent
