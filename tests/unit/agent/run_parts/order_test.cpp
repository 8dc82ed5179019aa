#include "agent/run_parts/order.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/run_parts.hpp"

namespace hearth::agent {
namespace {

using testing::ElementsAre;

std::vector<std::string> ordered(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), runs_before);
  return names;
}

TEST(OrderTest, LeadingNumbersCountAsNumbersAndTiesGoByBytes) {
  EXPECT_THAT(ordered({"99-last", "10a", "10-a", "10-A", "010-z", "3_k", "2-b", "02-c", "b", "_x", "A"}),
              ElementsAre("A", "_x", "b", "02-c", "2-b", "3_k", "010-z", "10-A", "10-a", "10a", "99-last"));
}

TEST(OrderTest, NumbersOfAnyLengthCompare) {
  EXPECT_TRUE(runs_before("99999999999999999999-a", "100000000000000000000-a"));
  EXPECT_FALSE(runs_before("100000000000000000000-a", "99999999999999999999-a"));
}

TEST(OrderTest, MinusAndFractionAreRead) {
  EXPECT_THAT(ordered({"1.5-x", "1.25-x", "-2x", "-10x", "x", "-0y"}),
              ElementsAre("-10x", "-2x", "-0y", "x", "1.25-x", "1.5-x"));
}

TEST(OrderTest, OnlyFittingExecutableFilesAreSelected) {
  const NamePattern pattern = NamePattern::compile("^[0-9A-Za-z_-]+$").value_or_throw();
  const Selection selection = select_scripts({{"20-b", true, true},
                                              {"10-a", true, true},
                                              {"dir", false, true},
                                              {"30.dot", true, true},
                                              {"40-noexec", true, false},
                                              {"50.x", true, false}},
                                             pattern);
  EXPECT_EQ(selection, (Selection{{"10-a", "20-b"}, {"40-noexec"}, {"30.dot"}}));
}

TEST(OrderTest, ThePatternIsSearchedForAnywhereUnlessAnchored) {
  const NamePattern pattern = NamePattern::compile("run").value_or_throw();
  EXPECT_TRUE(pattern.matches("10-run-me"));
  EXPECT_FALSE(pattern.matches("10-ru"));
}

TEST(OrderTest, ABadPatternIsAnErrorThatQuotesIt) {
  const Result<NamePattern> bad = NamePattern::compile("a[");
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().what, testing::StartsWith("'a[': "));
}

}  // namespace
}  // namespace hearth::agent
