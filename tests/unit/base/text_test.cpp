#include "base/text.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(Text, SplitKeepsEmptyFields) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{""});
}

TEST(Text, SplitWordsDropsBlanks) { EXPECT_EQ(split_words("  a\tb \n"), (std::vector<std::string>{"a", "b"})); }

TEST(Text, SplitLinesDoesNotOpenALineAfterTheLastNewline) {
  EXPECT_EQ(split_lines("a\n\nb\n"), (std::vector<std::string>{"a", "", "b"}));
}

TEST(Text, ParseNumberTakesWholeNumbersOnly) {
  EXPECT_EQ(parse_number("42"), 42U);
  EXPECT_EQ(parse_number("4x"), std::nullopt);
  EXPECT_EQ(parse_number("-4"), std::nullopt);
  EXPECT_EQ(parse_number("99999999999999999999"), std::nullopt);
}

TEST(Text, ShellQuoteLeavesPlainWordsAndProtectsTheRest) {
  EXPECT_EQ(shell_quote("a-b_c.d/e=f"), "a-b_c.d/e=f");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
}

TEST(Text, NearestFindsTypingErrorsOnly) {
  const std::vector<std::string> names = {"debian-minimal", "vm", "base"};
  EXPECT_EQ(nearest("debian-minmal", names), "debian-minimal");
  EXPECT_EQ(nearest("something-else", names), std::nullopt);
}

TEST(Text, HumanBytesPicksTheUnit) {
  EXPECT_EQ(human_bytes(17), "17 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
}

}  // namespace
}  // namespace hearth
