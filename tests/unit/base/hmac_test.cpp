#include "base/hmac.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"

namespace hearth {
namespace {

// RFC 2202 and RFC 4231, test case 2.
TEST(Hmac, GivesTheDigestsOfTheRfcs) {
  const std::string text = "what do ya want for nothing?";
  EXPECT_EQ(to_hex(hmac(HashKind::sha1, "Jefe", text)), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
  EXPECT_EQ(to_hex(hmac(HashKind::sha256, "Jefe", text)),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Hmac, OfAnEmptyKeyKnowsNothingOfTheKeyBefore) {
  const std::string empty = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
  EXPECT_EQ(to_hex(hmac(HashKind::sha256, {}, {})), empty);
  EXPECT_NE(to_hex(hmac(HashKind::sha256, "key", {})), empty);
  EXPECT_EQ(to_hex(hmac(HashKind::sha256, {}, {})), empty);
}

TEST(Secrets, AreEqualOnlyWhenEveryByteIs) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_TRUE(equal_in_constant_time("", ""));
}

}  // namespace
}  // namespace hearth
