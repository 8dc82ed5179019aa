#include "base/result.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace hearth {
namespace {

TEST(ParseErrorText, GivesThePlaceAsFarAsItIsKnown) {
  EXPECT_EQ((ParseError{"a.yaml", {3, 7}, "bad"}).text(), "a.yaml:3:7: bad");
  EXPECT_EQ((ParseError{"a.yaml", {3, 0}, "bad"}).text(), "a.yaml:3: bad");
  EXPECT_EQ((ParseError{"a.yaml", {}, "bad"}).text(), "a.yaml: bad");
  EXPECT_EQ((ParseError{"", {}, "bad"}).text(), "bad");
}

TEST(ResultTest, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  const Result<int> bad = ParseError{"x", {}, "no number"};
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().what, "no number");
}

TEST(ResultTest, AValueCanBeMovedOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> owned = std::move(result).value();
  EXPECT_EQ(*owned, 3);
}

TEST(ResultTest, ThrowsWhatWentWrongAsAnInputError) {
  EXPECT_EQ(Result<int>(7).value_or_throw(), 7);
  try {
    (void)Result<int>(ParseError{"f", {1, 2}, "bad"}).value_or_throw();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_STREQ(error.what(), "f:1:2: bad");
  }
}

}  // namespace
}  // namespace hearth
