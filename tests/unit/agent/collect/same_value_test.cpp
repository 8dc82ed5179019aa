#include "agent/collect/same_value.hpp"

#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

bool same(const char* a, const char* b) {
  return same_value(parse_json(a, "a").value_or_throw(), parse_json(b, "b").value_or_throw());
}

TEST(SameValueTest, KeyOrderDoesNotMatterButListOrderDoes) {
  EXPECT_TRUE(same(R"({"a":1,"b":{"c":2,"d":3}})", R"({"b":{"d":3,"c":2},"a":1})"));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
}

TEST(SameValueTest, NumbersAndBooleansCompareAsPythonDoes) {
  EXPECT_TRUE(same("1", "1.0"));
  EXPECT_TRUE(same("true", "1"));
  EXPECT_TRUE(same("[false]", "[0.0]"));
  EXPECT_FALSE(same("true", "2"));
  EXPECT_FALSE(same("1", "\"1\""));
  EXPECT_FALSE(same("null", "false"));
}

TEST(SameValueTest, AMissingOrFurtherKeyIsADifference) {
  EXPECT_FALSE(same(R"({"a":1})", R"({"a":1,"b":1})"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"b":1})"));
}

}  // namespace
}  // namespace hearth::agent
