// Known answers: RFC 1321 A.5, FIPS 180-4 examples.
#include "base/hash.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"

namespace hearth {
namespace {

TEST(HashTest, GivesTheKnownAnswers) {
  EXPECT_EQ(hex_digest(HashKind::md5, "abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(hex_digest(HashKind::sha1, "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex_digest(HashKind::sha256, "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_digest(HashKind::sha512, "abc"),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
  EXPECT_EQ(hex_digest(HashKind::sha256, ""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(HashTest, PiecesGiveTheDigestOfTheWhole) {
  Hasher hasher(HashKind::sha256);
  hasher.update("a");
  hasher.update("");
  hasher.update("bc");
  Hasher moved = std::move(hasher);
  EXPECT_EQ(moved.hex_digest(), hex_digest(HashKind::sha256, "abc"));
}

TEST(HexTest, WritesEveryByteAsTwoLowerCaseDigits) {
  EXPECT_EQ(to_hex(std::string("\x00\x0f\xff", 3)), "000fff");
  EXPECT_EQ(to_hex(""), "");
}

}  // namespace
}  // namespace hearth
