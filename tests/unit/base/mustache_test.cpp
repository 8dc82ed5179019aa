#include "base/mustache.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(Mustache, ErrorsCarryLineAndColumn) {
  EXPECT_EQ(parse_mustache("ab\n {{#s}}\n{{/n}}", "T").error().text(), "T:3:1: Section end tag mismatch: n != s");
  EXPECT_EQ(parse_mustache("x{{/s}}", "T").error().text(), "T:1:2: Section end tag mismatch: s != None");
  EXPECT_FALSE(parse_mustache("\xff", "T").ok());
}

TEST(Mustache, UnclosedSectionsAreReportedWithTheirPlace) {
  const MustacheTemplate parsed = parse_mustache("a\n{{#s}}b{{^n}}", "T").value_or_throw();
  ASSERT_EQ(parsed.unclosed.size(), 2U);
  EXPECT_EQ(parsed.unclosed[0].name, "s");
  EXPECT_EQ(parsed.unclosed[0].at, (Position{2, 1}));
}

}  // namespace
}  // namespace hearth
