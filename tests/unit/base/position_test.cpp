#include "base/position.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(PositionTest, LinesAndCharactersAreCountedFromOne) {
  EXPECT_EQ(position_in("ab", 0), (Position{1, 1}));
  EXPECT_EQ(position_in("ab\ncd", 4), (Position{2, 2}));
  EXPECT_EQ(position_in("\xc3\xa9x", 2), (Position{1, 2}));
  EXPECT_EQ(position_in("x", 99), (Position{1, 2}));
}

}  // namespace
}  // namespace hearth
