#include "base/yaml_opening.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth {
namespace {

using testing::StartsWith;

std::string opening(const std::string& text, const Position& fault) {
  const auto found = yaml_opening_of(text, fault);
  return found ? cat(found->at.line, ":", found->at.column, ": ", found->what) : "(none)";
}

std::string open_quote(const std::string& text) {
  const auto found = open_yaml_quote(text);
  return found ? cat(found->at.line, ":", found->at.column) : "(none)";
}

TEST(YamlOpening, ABracketThatNothingClosesIsNamedWhereItWasOpened) {
  EXPECT_EQ(opening("- a: b\n  c: [x, y\n  d: [z]\n", {3, 4}),
            "2:6: this '[' is not closed: no ']' before line 3, column 4");
  EXPECT_THAT(opening("- a: {b: c, d: {e: f}\n  g: h\n", {2, 4}), StartsWith("1:6: this '{' is not closed"));
  EXPECT_THAT(opening("a: [\n  b, # ]\n  c\n", {4, 1}), StartsWith("1:4: "));
}

TEST(YamlOpening, ABracketThatAnotherKindClosesIsNamed) {
  EXPECT_THAT(opening("a: {b: c]\n", {1, 9}), StartsWith("1:4: this '{' is not closed: no '}'"));
}

TEST(YamlOpening, AQuoteThatNothingClosesIsNamedWhereItWasOpened) {
  EXPECT_EQ(opening("a: [\"b, c]\nd: e\n", {3, 1}), "1:5: this quote (\") is not closed");
  EXPECT_EQ(open_quote("a: b\nc: 'it''s\nd: e\n"), "2:4");
  EXPECT_EQ(open_quote("a: \"b\\\"\n"), "1:4");
}

TEST(YamlOpening, AQuoteThatEndsWhereTheNextOneBeginsIsNamed) {
  EXPECT_EQ(opening("a: \"b\nc: d\ne: \"f\"\n", {3, 5}),
            "1:4: this quote (\") is closed only in line 3, column 4; is one missing before?");
}

TEST(YamlOpening, OtherFaultsHaveNone) {
  EXPECT_EQ(opening("a: [b, c]\n\td: e\n", {2, 1}), "(none)");
  EXPECT_EQ(opening("a: [b: c: d]\n", {1, 9}), "(none)");
  EXPECT_EQ(opening("\ta: b\nc: [d\n", {1, 1}), "(none)") << "what stands behind the fault is not its cause";
}

TEST(YamlOpening, TextsMayHoldWhatTheyLike) {
  for (const char* text :
       {"a: it's \"b\n", "a: |\n  \"b [\nc: d\n", "- >-\n  'x\n", "- - |\n    {\n  - b\n", "a: b # 'c\n", "'a': ''\n",
        "a: 'b''c'\n", "a: \"b\\\\\"\n", "a: &x 'b'\nc: !!str \"d\"\n", "a: {b: don't}\n"}) {
    EXPECT_EQ(open_quote(text), "(none)") << text;
    EXPECT_EQ(opening(text, {9, 1}), "(none)") << text;
  }
}

}  // namespace
}  // namespace hearth
