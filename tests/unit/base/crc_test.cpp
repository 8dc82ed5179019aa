#include "base/crc.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(Crc32cTest, ItsCheckValueIsTheStandards) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32_of("123456789"), 0xcbf43926U);
}

}  // namespace
}  // namespace hearth
