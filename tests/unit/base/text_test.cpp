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
  EXPECT_EQ(nearest(std::string(200'000, 'r') + "x", {std::string(200'000, 'r')}), std::nullopt) << "and at once";
  EXPECT_EQ(nearest("mtod", {"mode", "motd"}), "motd") << "two letters exchanged are one mistake";
  EXPECT_EQ(nearest("manual", {"redfish", "manual-management"}), "manual-management") << "the only one that begins so";
  EXPECT_EQ(nearest("manual", {"manual-a-long-way", "manual-management"}), std::nullopt);
  EXPECT_EQ(nearest("", {"a", "ab"}), "a");
  EXPECT_EQ(nearest("ab", {"", "xy", "ba"}), "ba");
  EXPECT_EQ(nearest(std::string(256, 'r'), {std::string(341, 'r')}), std::string(341, 'r'));
  EXPECT_EQ(nearest(std::string(256, 'r'), {"x" + std::string(341, 'r')}), std::nullopt)
      << "more than a third are others";
}

TEST(Text, ReplaceAllDoesNotLookIntoWhatItPutIn) {
  EXPECT_EQ(replace_all("a-a", "a", "aa"), "aa-aa");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

TEST(Text, CatTakesTextsCharactersAndIntegers) { EXPECT_EQ(cat("a", 'b', std::string("c"), -7, 8U), "abc-78"); }

TEST(Text, JoinAndSplitAreEachOthersReverse) {
  EXPECT_EQ(join({}, ","), "");
  EXPECT_EQ(join({"a"}, ","), "a");
  EXPECT_EQ(split(join({"a", "", "b"}, ","), ','), (std::vector<std::string>{"a", "", "b"}));
}

TEST(Text, LinesAsOneKeepWhatTheySay) {
  EXPECT_EQ(lines_as_one("Input/output error\n  while writing /dev/vda\n\n"),
            "Input/output error; while writing /dev/vda");
  EXPECT_EQ(lines_as_one("one"), "one");
  EXPECT_EQ(lines_as_one("\n"), "");
}

TEST(Text, TrimTakesBlanksFromBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, ToLowerLeavesBytesBeyondAsciiAlone) { EXPECT_EQ(to_lower("ÄBC-9z"), "Äbc-9z"); }

TEST(Text, FixedHasExactlyItsPlaces) {
  EXPECT_EQ(fixed(1.0, 2), "1.00");
  EXPECT_EQ(fixed(-0.125, 1), "-0.1");
  EXPECT_EQ(fixed(1e300, 0), "?");  // more digits than anyone reads
}

TEST(Text, OfManyTheFirstAreNamedAndTheRestCounted) {
  EXPECT_EQ(join_first({}, 2), "");
  EXPECT_EQ(join_first({"a", "b"}, 2), "a, b");
  EXPECT_EQ(join_first({"a", "b", "c", "d", "e"}, 2), "a, b and 3 more");
  EXPECT_EQ(join_first({"a", "b", "c"}, 2, "; "), "a; b; and 1 more");
}

TEST(Text, ShellJoinSurvivesAShell) { EXPECT_EQ(shell_join({"a b", "$x", "~", "c"}), "'a b' '$x' '~' c"); }

TEST(Text, HumanBytesPicksTheUnit) {
  EXPECT_EQ(human_bytes(17), "17 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
}

}  // namespace
}  // namespace hearth
