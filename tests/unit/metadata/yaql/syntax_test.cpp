#include "metadata/yaql/syntax.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata::yaql {
namespace {

TEST(YaqlSyntax, binds_operators_as_tightly_as_yaql_does) {
  const SyntaxPtr syntax = *parse("not $.a and $b + 1 * 2 > 3");
  EXPECT_EQ(syntax->name, "and");
  EXPECT_EQ(syntax->parts[0]->name, "not");
  EXPECT_EQ(syntax->parts[1]->name, ">");
  EXPECT_EQ(syntax->parts[1]->parts[0]->name, "+");
}

TEST(YaqlSyntax, says_what_it_did_not_expect) {
  EXPECT_EQ(parse("1 +").error().what, "Parse error: unexpected end of statement");
  EXPECT_EQ(parse("$.a ~").error().what, "illegal character '~'");
  EXPECT_FALSE(parse("'open"));
}

TEST(YaqlSyntax, refuses_to_exhaust_the_stack) { EXPECT_FALSE(parse(std::string(100000, '('))); }

}  // namespace
}  // namespace hearth::metadata::yaql
