#include "base/hash.hpp"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include <array>

#include "base/error.hpp"
#include "base/gnutls/digest.hpp"
#include "base/gnutls/start.hpp"
#include "base/hex.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_longest_digest = 64;

}  // namespace

struct Hasher::Context {
  explicit Context(HashKind kind) : length(::gnutls_hash_get_len(gnutls_digest_of(kind))) {
    start_gnutls();
    if (::gnutls_hash_init(&state, gnutls_digest_of(kind)) < 0) {
      throw Error(ErrorKind::unsupported, "this GnuTLS does not offer the digest that is asked for");
    }
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    std::array<char, k_longest_digest> unused{};
    if (state != nullptr) ::gnutls_hash_deinit(state, unused.data());
  }

  gnutls_hash_hd_t state = nullptr;
  unsigned length = 0;
};

gnutls_digest_algorithm_t gnutls_digest_of(HashKind kind) {
  constexpr std::array<gnutls_digest_algorithm_t, 4> digests = {GNUTLS_DIG_MD5, GNUTLS_DIG_SHA1, GNUTLS_DIG_SHA256,
                                                                GNUTLS_DIG_SHA512};
  return digests.at(static_cast<std::size_t>(kind));
}

Hasher::Hasher(HashKind kind) : context_(std::make_unique<Context>(kind)) {}
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher::~Hasher() = default;

void Hasher::update(std::string_view bytes) { ::gnutls_hash(context_->state, bytes.data(), bytes.size()); }

std::string Hasher::hex_digest() {
  std::array<char, k_longest_digest> bytes{};
  ::gnutls_hash_deinit(context_->state, bytes.data());
  context_->state = nullptr;
  return to_hex({bytes.data(), context_->length});
}

std::string hex_digest(HashKind kind, std::string_view bytes) {
  Hasher hasher(kind);
  hasher.update(bytes);
  return hasher.hex_digest();
}

}  // namespace hearth
