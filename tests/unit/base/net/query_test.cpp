#include "base/net/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(Parameters, AreDecodedInTheirOrder) {
  EXPECT_EQ(parse_parameters("b=1+2&a=%2B&&flag&b=3"),
            (Parameters{{"b", "1 2"}, {"a", "+"}, {"flag", ""}, {"b", "3"}}));
}

TEST(Parameters, TheFirstOfANameCounts) {
  const Parameters parameters = parse_parameters("b=1&b=2");
  EXPECT_EQ(find_parameter(parameters, "b"), "1");
  EXPECT_FALSE(find_parameter(parameters, "c"));
  EXPECT_EQ(parameter_or(parameters, "c", "x"), "x");
}

TEST(Parameters, OfAFloodOnlyTwoHundredAreKept) {
  std::string flood;
  for (int i = 0; i < 5000; ++i) flood += "a&";
  EXPECT_EQ(parse_parameters(flood).size(), 200U);
}

}  // namespace
}  // namespace hearth
