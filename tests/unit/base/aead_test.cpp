#include "base/aead.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/hex.hpp"

namespace hearth {
namespace {

std::string bytes(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return out;
}

/// Test case 16 of "The Galois/Counter Mode of Operation", by its authors.
struct KnownAnswer {
  std::string key = bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
  std::string nonce = bytes("cafebabefacedbaddecaf888");
  std::string beside = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  std::string text = bytes(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
      "ba637b39");
  std::string sealed =
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a"
      "bcc9f662"
      "76fc6ece0f4e1768cddf8853bb2d551b";
};

TEST(Aead, SealsAsItsAuthorsSay) {
  const KnownAnswer known;
  const std::string sealed = aead_seal(known.key, known.nonce, known.beside, known.text);
  EXPECT_EQ(to_hex(sealed), known.sealed);
  EXPECT_EQ(aead_open(known.key, known.nonce, known.beside, sealed), known.text);
}

TEST(Aead, OpensNothingThatIsAnotherInAnyPart) {
  const KnownAnswer known;
  const std::string sealed = aead_seal(known.key, known.nonce, known.beside, known.text);
  EXPECT_FALSE(aead_open(std::string(32, 'k'), known.nonce, known.beside, sealed));
  EXPECT_FALSE(aead_open(known.key, std::string(12, 'n'), known.beside, sealed));
  EXPECT_FALSE(aead_open(known.key, known.nonce, "elsewhere", sealed));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string other = sealed;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(aead_open(known.key, known.nonce, known.beside, other)) << i;
    EXPECT_FALSE(aead_open(known.key, known.nonce, known.beside, sealed.substr(0, i))) << i;
  }
}

TEST(Aead, TakesAnEmptyTextAndNoKeyOfAnotherSize) {
  const KnownAnswer known;
  EXPECT_EQ(aead_open(known.key, known.nonce, "", aead_seal(known.key, known.nonce, "", "")), "");
  EXPECT_THROW((void)aead_seal("short", known.nonce, "", "t"), Error);
  EXPECT_THROW((void)aead_seal(known.key, "short", "", "t"), Error);
}

}  // namespace
}  // namespace hearth
