#include "bootstrap/conductor/password_hash.hpp"

#include <crypt.h>
#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(PasswordHash, isOneThatCryptKnowsAgainAndDiffersEachTime) {
  const std::string hash = hashed_password("sesame");
  EXPECT_EQ(hash.rfind("$6$", 0), 0U);
  EXPECT_EQ(hash.find("sesame"), std::string::npos);
  EXPECT_STREQ(::crypt("sesame", hash.c_str()), hash.c_str());
  EXPECT_STRNE(::crypt("Sesame", hash.c_str()), hash.c_str());
  EXPECT_NE(hashed_password("sesame"), hash);
}

}  // namespace
}  // namespace hearth::bootstrap
