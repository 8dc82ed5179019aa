#include "base/hash.hpp"

#include <openssl/err.h>

#include <array>
#include <cerrno>
#include <new>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/hex.hpp"

namespace hearth {

struct Hasher::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(evp); }
};

// Fetched once: with EVP_sha256() and its kin every digest begins with a search for who offers it.
const EVP_MD* evp_of(HashKind kind) {
  static const std::array<const EVP_MD*, 4> fetched = {
      EVP_MD_fetch(nullptr, "MD5", nullptr), EVP_MD_fetch(nullptr, "SHA1", nullptr),
      EVP_MD_fetch(nullptr, "SHA256", nullptr), EVP_MD_fetch(nullptr, "SHA512", nullptr)};
  return fetched.at(static_cast<std::size_t>(kind));
}

Hasher::Hasher(HashKind kind) : context_(std::make_unique<Context>()) {
  errno = 0;
  if (EVP_DigestInit_ex(context_->evp, evp_of(kind), nullptr) != 1) {
    // Where there is no memory OpenSSL can't even look for the digest.
    if (errno == ENOMEM || ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE) throw std::bad_alloc();
    throw Error(ErrorKind::unsupported, "this OpenSSL does not offer the digest that is asked for");
  }
}
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher::~Hasher() = default;

void Hasher::update(std::string_view bytes) { EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()); }

std::string Hasher::hex_digest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context_->evp, bytes.data(), &length);
  return to_hex({reinterpret_cast<const char*>(bytes.data()), length});
}

std::string hex_digest(HashKind kind, std::string_view bytes) {
  Hasher hasher(kind);
  hasher.update(bytes);
  return hasher.hex_digest();
}

}  // namespace hearth
