#include "agent/heat_config/deployment/excerpt.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::agent {
namespace {

class ExcerptTest : public testing::Test {
 protected:
  std::string text_;
  Excerpt excerpt_{200, 20, [this](std::string_view line) { text_ += cat(line, "|"); }};
};

TEST_F(ExcerptTest, LinesPassAtOnceWhileThereIsRoom) {
  excerpt_.line("a");
  excerpt_.line("");
  EXPECT_EQ(text_, "a||");
  excerpt_.finish();
  EXPECT_EQ(text_, "a||");
}

TEST_F(ExcerptTest, OfAFloodTheBeginningAndTheEndAreShown) {
  for (int i = 0; i < 1000; ++i) excerpt_.line(cat("line ", i));
  EXPECT_EQ(text_, "line 0|line 1|[there is more; its end will be shown here]|");
  excerpt_.finish();
  EXPECT_TRUE(text_.ends_with(" are left out]|line 998|line 999|")) << text_;
}

TEST_F(ExcerptTest, OneEndlessLineIsCutToo) {
  for (int i = 0; i < 100; ++i) excerpt_.line(std::string(300, 'x'));
  excerpt_.line(std::string(300, 'y'));
  excerpt_.finish();
  EXPECT_TRUE(text_.ends_with(cat(" are left out]|", std::string(19, 'y'), "|"))) << text_;
}

TEST_F(ExcerptTest, NothingIsLeftOutWhereTheEndHoldsIt) {
  for (const char* line : {"a", "b", "c", "d"}) excerpt_.line(line);
  excerpt_.finish();
  EXPECT_EQ(text_, "a|b|c|[there is more; its end will be shown here]|d|");
}

}  // namespace
}  // namespace hearth::agent
