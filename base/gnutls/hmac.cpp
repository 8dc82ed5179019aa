#include "base/hmac.hpp"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include "base/error.hpp"
#include "base/gnutls/digest.hpp"
#include "base/gnutls/start.hpp"

namespace hearth {

std::string hmac(HashKind kind, std::string_view key, std::string_view text) {
  start_gnutls();
  const auto algorithm = static_cast<gnutls_mac_algorithm_t>(gnutls_digest_of(kind));  // gnutls.h: same numbers
  std::string digest(::gnutls_hmac_get_len(algorithm), '\0');
  const char* secret = key.empty() ? "" : key.data();
  if (digest.empty() ||
      ::gnutls_hmac_fast(algorithm, secret, key.size(), text.data(), text.size(), digest.data()) < 0) {
    throw Error(ErrorKind::unsupported, "this GnuTLS does not offer the HMAC that is asked for");
  }
  return digest;
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::gnutls_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace hearth
