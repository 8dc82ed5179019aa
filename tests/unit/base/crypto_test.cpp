#include "base/crypto.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"

// Built with both libraries, OpenSSL and GnuTLS.
namespace hearth {
namespace {

std::string hex(const Blake2bDigest& digest) {
  return to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

TEST(Crypto, Blake2bIsThatOfRfc7693) {
  EXPECT_EQ(hex(blake2b("abc")),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
  EXPECT_EQ(hex(blake2b("")).substr(0, 16), "786a02f742015903");
}

// The digest, by Python's hashlib, of the digests of texts of each length up to 399: (7 i + length) mod 256 at i.
TEST(Crypto, Blake2bTakesTextsOfAnyLength) {
  std::string digests;
  for (unsigned length = 0; length < 400; ++length) {
    std::string text;
    for (unsigned i = 0; i < length; ++i) text.push_back(static_cast<char>(i * 7 + length));
    const Blake2bDigest digest = blake2b(text);
    digests.append(digest.begin(), digest.end());
  }
  EXPECT_EQ(hex(blake2b(digests)),
            "1f91579d76965e2e30c4e5c5bbbee5135b086af573458142bb95a5ac22b66e43"
            "4aedb60a9b22242b7a0f3222a862e3e0878ee44226624d4919895c676daa1e9c");
}

TEST(Hex, WhatIsNoneHasNoBytes) {
  EXPECT_EQ(from_hex("006aff"), std::string("\0j\xff", 3));
  for (const char* text : {"0", "6a6", "6g", "6A", " 6"}) EXPECT_EQ(from_hex(text), "") << text;
}

// RFC 8032, 7.1, tests 1 and 2.
TEST(Crypto, Ed25519SignaturesAreThoseOfRfc8032) {
  const std::string key = from_hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  const std::string signature = from_hex(
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  EXPECT_TRUE(verify_ed25519("r", signature, key));
  EXPECT_FALSE(verify_ed25519("s", signature, key));
  EXPECT_FALSE(verify_ed25519("r", signature.substr(1), key));
  EXPECT_FALSE(verify_ed25519("r", "", key));
  EXPECT_FALSE(verify_ed25519("r", signature, key.substr(1)));
  EXPECT_TRUE(verify_ed25519("",
                             from_hex("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                                      "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
                             from_hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")));
}

TEST(Crypto, TheLibraryHasANameAndAVersion) {
  EXPECT_TRUE(crypto_version().starts_with("OpenSSL 3.") || crypto_version().starts_with("GnuTLS 3."))
      << crypto_version();
}

}  // namespace
}  // namespace hearth
