#include "agent/collect/ini.hpp"

#include <gmock/gmock.h>

namespace hearth::agent {
namespace {

using testing::ElementsAre;

std::vector<Assignment> parse(const std::string& text) { return parse_ini(text, "f").value_or_throw(); }

std::string complaint(const std::string& text) {
  const Result<std::vector<Assignment>> result = parse_ini(text, "f");
  return result ? "" : result.error().text();
}

TEST(IniTest, BothMarksAssignAndBlanksAroundThemGo) {
  EXPECT_THAT(parse("[DEFAULT]\na = 1\nb:2\nc: x = y # no comment\n"),
              ElementsAre(Assignment{"DEFAULT", "a", "1"}, Assignment{"DEFAULT", "b", "2"},
                          Assignment{"DEFAULT", "c", "x = y # no comment"}));
}

TEST(IniTest, GroupNamesIgnoreCaseButDefaultDoesNot) {
  EXPECT_THAT(parse("[HEAT]\na=1\n[default]\nb=2\n"),
              ElementsAre(Assignment{"heat", "a", "1"}, Assignment{"default", "b", "2"}));
}

TEST(IniTest, OnePairOfQuotesGoesButOnlyAPair) {
  EXPECT_THAT(parse("[g]\na=\"x y\"\nb='x\"\nc=''\nd='\n"),
              ElementsAre(Assignment{"g", "a", "x y"}, Assignment{"g", "b", "'x\""}, Assignment{"g", "c", ""},
                          Assignment{"g", "d", ""}));
}

TEST(IniTest, IndentedLinesContinueAValueWithANewline) {
  EXPECT_THAT(parse("[g]\na=x\n  y\n\t# z\n"), ElementsAre(Assignment{"g", "a", "x\ny\n# z"}));
}

TEST(IniTest, ABlankLineEndsAValue) {
  EXPECT_EQ(complaint("[g]\na=x\n\n  y\n"), "f:4: Unexpected continuation line: '  y'");
}

TEST(IniTest, CommentsAndCarriageReturnsAreDropped) {
  EXPECT_THAT(parse("# c\r\n[g]\r\n;x=1\r\na=b\r\n"), ElementsAre(Assignment{"g", "a", "b"}));
}

TEST(IniTest, RepeatedKeysAreAllKept) {
  EXPECT_THAT(parse("[g]\na=1\na=2\n"), ElementsAre(Assignment{"g", "a", "1"}, Assignment{"g", "a", "2"}));
}

TEST(IniTest, EverythingElseIsAnErrorWithItsLine) {
  EXPECT_EQ(complaint("a=1\n"), "f:1: Section must be started before assignment");
  EXPECT_EQ(complaint("[g]\nword\n"), "f:2: No ':' or '=' found in assignment: 'word'");
  EXPECT_EQ(complaint("[g]\n=x\n"), "f:2: Key cannot be empty: '=x'");
  EXPECT_EQ(complaint("[g\n"), "f:1: Invalid section (must end with ]): '[g'");
  EXPECT_EQ(complaint("[]\n"), "f:1: Empty section name: '[]'");
}

}  // namespace
}  // namespace hearth::agent
