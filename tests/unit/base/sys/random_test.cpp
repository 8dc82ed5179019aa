#include "base/sys/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hearth {
namespace {

TEST(RandomHex, HasTwoLowerCaseDigitsAByte) {
  const std::string text = random_hex(300);  // more than the 256 bytes that getrandom(2) gives in one piece for sure
  EXPECT_EQ(text.size(), 600U);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(random_hex(0), "");
}

TEST(RandomHex, DoesNotRepeatItself) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_hex(8));
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(RandomUuid, IsOfVersionFourAndNeverTheSame) {
  EXPECT_THAT(random_uuid(),
              testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_NE(random_uuid(), random_uuid());
}

}  // namespace
}  // namespace hearth
