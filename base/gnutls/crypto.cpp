#include "base/crypto.hpp"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/error.hpp"
#include "base/gnutls/start.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_block = 128;  ///< bytes that BLAKE2b takes at a time
constexpr std::size_t k_rounds = 12;

/// RFC 7693, 2.6: those of SHA-512.
constexpr std::array<std::uint64_t, 8> k_initial = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                                    0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                                    0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

/// RFC 7693, 2.7: in which order the words of a block are mixed in. Rounds 10 and 11 are as 0 and 1.
constexpr std::array<std::array<std::uint8_t, 16>, 10> k_order = {{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}};

using Words = std::array<std::uint64_t, 16>;

void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d, std::uint64_t x, std::uint64_t y) {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

/// RFC 7693, 3.2. `counter` is how many bytes were taken up to the end of this block.
void compress(std::array<std::uint64_t, 8>& state, const unsigned char* block, std::uint64_t counter, bool last) {
  static_assert(std::endian::native == std::endian::little, "the words of a block are little-endian");
  Words m{};
  std::memcpy(m.data(), block, k_block);
  Words v{};
  for (std::size_t i = 0; i < 8; ++i) {
    v[i] = state[i];
    v[i + 8] = k_initial[i];
  }
  v[12] ^= counter;
  if (last) v[14] = ~v[14];
  for (std::size_t round = 0; round < k_rounds; ++round) {
    const auto& s = k_order[round % k_order.size()];
    mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
    mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
    mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
    mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
    mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
    mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
    mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
    mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
  }
  for (std::size_t i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
}

gnutls_datum_t datum(std::string_view bytes) {
  return {reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data())),  // NOLINT: only read
          static_cast<unsigned>(bytes.size())};
}

struct FreePublicKey {
  void operator()(std::remove_pointer_t<gnutls_pubkey_t>* key) const { ::gnutls_pubkey_deinit(key); }
};

}  // namespace

/// GnuTLS has none.
Blake2bDigest blake2b(std::string_view bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::array<std::uint64_t, 8> state = k_initial;
  state[0] ^= 0x01010000U ^ std::tuple_size_v<Blake2bDigest>;  // no key, this length
  std::uint64_t done = 0;
  for (; bytes.size() - done > k_block; done += k_block) compress(state, data + done, done + k_block, false);
  std::array<unsigned char, k_block> rest{};
  if (bytes.size() > done) std::memcpy(rest.data(), data + done, bytes.size() - done);
  compress(state, rest.data(), bytes.size(), true);
  Blake2bDigest digest{};
  std::memcpy(digest.data(), state.data(), digest.size());
  return digest;
}

bool verify_ed25519(std::string_view text, std::string_view signature, std::string_view public_key) {
  start_gnutls();
  gnutls_pubkey_t made = nullptr;
  check_gnutls(::gnutls_pubkey_init(&made), "making a public key");
  const std::unique_ptr<std::remove_pointer_t<gnutls_pubkey_t>, FreePublicKey> key(made);
  const gnutls_datum_t point = datum(public_key);
  const gnutls_datum_t signed_text = datum(text);
  const gnutls_datum_t bytes = datum(signature);
  return ::gnutls_pubkey_import_ecc_raw(made, GNUTLS_ECC_CURVE_ED25519, &point, nullptr) == 0 &&
         ::gnutls_pubkey_verify_data2(made, GNUTLS_SIGN_EDDSA_ED25519, 0, &signed_text, &bytes) >= 0;
}

std::string crypto_version() { return cat("GnuTLS ", ::gnutls_check_version(nullptr)); }

}  // namespace hearth
