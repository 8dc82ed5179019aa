#include "metadata/model/python_pattern.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"

namespace hearth::metadata {
namespace {

std::vector<std::string> found(const std::string& pattern, const std::string& text, PatternFlags flags = {}) {
  PatternBudget budget;
  std::vector<std::string> all;
  for (const PythonPattern::Match& match : PythonPattern(pattern, flags).find_all(text, 0, budget))
    all.push_back(text.substr(match.groups[0].begin, match.groups[0].end - match.groups[0].begin));
  return all;
}

bool matches(const std::string& pattern, const std::string& text) {
  PatternBudget budget;
  return PythonPattern(pattern).matches_to_the_end(text, budget);
}

TEST(PythonPattern, says_what_is_pythons_in_the_engines_words) {
  EXPECT_EQ(pcre2_pattern("(?P<x>a)b(?P=x)\\Z"), "(?P<x>a)b(?P=x)\\z");
  EXPECT_EQ(pcre2_pattern("\\v\\u00e9\\U0001F600\\x41"), "\\x0b\\x{00e9}\\x{0001F600}\\x{41}");
  EXPECT_EQ(pcre2_pattern("a{,3}[[:x:]]"), "a{0,3}[\\[:x:]]");
  EXPECT_EQ(pcre2_pattern("[]a](?#(?R)"), "[\\]a](?#(?R)");
  EXPECT_EQ(pcre2_pattern("(?iu)x"), "(?i)x");
}

TEST(PythonPattern, leaves_all_else_and_what_is_escaped_as_it_is) {
  for (const char* same : {"^[a-z]+$", "a|b", "\\(?P<", "\\\\Z", "(?i)x", "", "\\", "(?<!a)(?=b)(?:c)", "a{2,3}{"})
    EXPECT_EQ(pcre2_pattern(same), same);
}

TEST(PythonPattern, refuses_what_is_perls_alone) {
  for (const char* bad :
       {"(?R)", "(?1)", "(?<x>a)", "\\Qa\\E", "\\Ka", "(*ACCEPT)", "\\h", "[\\Z]", "(?P>x)", "a(", "[z-a]"})
    EXPECT_THROW((void)PythonPattern(bad), Fault) << bad;
}

TEST(PythonPattern, finds_what_finditer_finds) {
  EXPECT_EQ(found("a*", "baac"), (std::vector<std::string>{"", "aa", "", ""}));
  EXPECT_EQ(found("^x", "x\nx", {.multi_line = true}).size(), 2U);
  EXPECT_EQ(found("x.y", "X\nY", {.ignore_case = true, .dot_all = true}).size(), 1U);
  EXPECT_EQ(found("x.y", "x\ny").size(), 0U);
}

TEST(PythonPattern, counts_characters_and_takes_bytes_that_are_none) {
  EXPECT_TRUE(matches("^.$", "\u00e9"));
  EXPECT_TRUE(matches("\\w{2}", "\u00e9\u00e8"));
  EXPECT_TRUE(matches("a.", "a\xff"));
}

TEST(PythonPattern, matches_from_the_beginning_and_says_whether_that_is_all) {
  EXPECT_TRUE(matches("a+", "aaa"));
  EXPECT_FALSE(matches("a|aaa", "aaa"));  // as re.match: the first alternative that fits
  EXPECT_FALSE(matches("a+", "aaab"));
  EXPECT_FALSE(matches("^a$", "a\n"));
}

/// Each of them takes more time than there is.
TEST(PythonPattern, ends_when_its_budget_does) {
  const std::string many = std::string(3000, 'a') + "cb";
  std::string row;
  for (int i = 0; i < 1000; ++i) row += "a*";
  std::string large;
  for (int i = 0; i < 20'000; ++i) large += "a*";
  for (const std::string& pattern : {row + "bb", large + "bb", std::string("(a|a)*bb"), std::string("(?:(?=.*$).)*?bb"),
                                     std::string("((a*)\\2*)*bb")}) {
    PatternBudget budget;
    try {
      (void)PythonPattern(pattern).find_all(many, 0, budget);
      ADD_FAILURE() << pattern.substr(0, 20);
    } catch (const Fault& fault) {
      EXPECT_NE(fault.text().find("takes too long on this text"), std::string::npos);
      EXPECT_LT(fault.text().size(), 400U);
      EXPECT_FALSE(fault.advice().empty());
    }
    EXPECT_TRUE(budget.is_gone());
    EXPECT_THROW((void)PythonPattern("a").find_all("a", 0, budget), Fault);
  }
  PatternBudget budget;
  EXPECT_THROW((void)PythonPattern(row + "b").matches_to_the_end(many, budget), Fault);
}

TEST(PythonPattern, takes_a_list_of_words_that_is_too_large_to_be_counted) {
  std::string words = "^(?:";
  for (int i = 0; i < 2500; ++i) words += cat("name", i, "|");
  EXPECT_TRUE(matches(words + "last)$", "last"));
  EXPECT_FALSE(matches(words + "last)$", "lost"));
}

TEST(PythonPattern, goes_over_long_texts) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += cat("word", i, " ");
  EXPECT_EQ(found("\\w+", text).size(), 100'000U);
  EXPECT_TRUE(matches("(?:[a-z]+[0-9]+ )*", text));
}

}  // namespace
}  // namespace hearth::metadata
