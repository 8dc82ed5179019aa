#include "base/pattern.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth {
namespace {

std::string found(const std::string& pattern, const std::string& text, std::size_t from = 0) {
  const std::optional<Pattern::Place> place = Pattern(pattern).find(text, from);
  return place ? text.substr(0, place->begin) + "<" + text.substr(place->begin, place->end - place->begin) + ">" : "-";
}

TEST(PatternTest, FindsTheFirstPlace) {
  EXPECT_EQ(found("[0-9]+", "vda12 vdb3"), "vda<12>");
  EXPECT_EQ(found("[0-9]+", "none"), "-");
  EXPECT_EQ(found("^", "text"), "<>");
}

TEST(PatternTest, LooksOnBehindAPlaceAndCountsFromTheBeginning) {
  EXPECT_EQ(found("[0-9]+", "vda12 vdb3", 5), "vda12 vdb<3>");
  EXPECT_EQ(found("[0-9]+", "vda12 vdb3", 4), "vda1<2>");
  EXPECT_EQ(found("[0-9]+", "vda12", 5), "-");
}

TEST(PatternTest, MatchesAllOfATextOrNot) {
  const Pattern pattern("[a-z]+(:[0-9]+)?");
  EXPECT_TRUE(pattern.matches_all_of("web:12"));
  EXPECT_FALSE(pattern.matches_all_of("web:"));
  EXPECT_FALSE(pattern.matches_all_of("web:12\n"));
  EXPECT_FALSE(pattern.matches_all_of(""));
}

TEST(PatternTest, GivesATextWithoutWhatMatches) {
  EXPECT_EQ(Pattern("\\s*<boot [^>]*/>").without("<os>\n  <boot dev='hd'/> <boot dev='network'/>\n</os>"),
            "<os>\n</os>");
  EXPECT_EQ(Pattern("x").without("a$&b"), "a$&b");
}

TEST(PatternTest, IsWrittenAsInEcmaScript) {
  EXPECT_EQ(found("a.c$", "abc\n"), "-") << "$ is the end, not before a last newline";
  EXPECT_EQ(found("\\u0061+", "baa"), "b<aa>");
  EXPECT_EQ(found("(?=b)b|x{2}", "axxb"), "a<xx>");
}

TEST(PatternTest, ALongTextTakesNoStackAndABombHasAnEnd) {
  const std::string many(4'000'000, 'a');
  EXPECT_EQ(Pattern("(a|b)*$").find(many, many.size() - 200'000)->end, many.size());
  for (const char* bomb : {"(a+)+$b", "[a-z]*1[a-z]*2", "^(a|aa)+b"}) {
    try {
      EXPECT_FALSE(Pattern(bomb).find(many)) << bomb;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("takes too long on this text"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(Pattern(std::string(100'000, '(')), Error);
}

TEST(PatternTest, ACopyIsTheSamePattern) {
  std::optional<Pattern> pattern("b");
  const Pattern copy = *pattern;
  pattern.reset();
  EXPECT_TRUE(copy.matches_all_of("b"));
}

TEST(PatternTest, WhatIsNoExpressionIsSaidAsItStands) {
  try {
    const Pattern pattern("login: (");
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("not a regular expression: login: ( ("), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace hearth
