#include "base/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace hearth {

namespace {

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

std::string hmac(HashKind kind, std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (::HMAC(evp_of(kind), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(), digest.data(),
             &size) == nullptr) {
    throw Error(ErrorKind::unsupported, "this OpenSSL does not offer the HMAC that is asked for");
  }
  return {digest.begin(), digest.begin() + size};
}

std::string base64_encode(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // EVP_EncodeBlock ends its output with a NUL
  const int length =
      ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(bytes), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  const std::size_t content = standard.find_last_not_of('=') + 1;  // npos + 1 is 0
  const std::size_t padding = standard.size() - content;
  if (standard.size() % 4 != 0 || padding > 2) return std::nullopt;
  if (std::any_of(standard.begin(), standard.end(), [](char c) { return c <= ' '; })) return std::nullopt;
  std::string out(3 * (standard.size() / 4), '\0');
  const int length = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(standard),
                                       static_cast<int>(standard.size()));
  if (length < 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(length) - padding);
  return out;
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace hearth
