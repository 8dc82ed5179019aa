#include "builder/disk/crc32c.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

TEST(Crc32cTest, ItsCheckValueIsTheStandards) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

}  // namespace
}  // namespace hearth::builder
