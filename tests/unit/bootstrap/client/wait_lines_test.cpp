#include "bootstrap/client/wait_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

using testing::ElementsAre;

class WaitLinesTest : public testing::Test {
 protected:
  void after(int seconds, const std::string& what) {
    clock_.advance(std::chrono::seconds(seconds));
    lines_.look(what);
  }

  fakes::ManualClock clock_;
  std::vector<std::string> told_;
  WaitLines lines_{clock_, [this](const std::string& line) { told_.push_back(line); }};
};

TEST_F(WaitLinesTest, WhatTakesAMomentIsNotWorthALine) {
  after(1, "a");
  EXPECT_TRUE(told_.empty());
  after(1, "a");
  EXPECT_THAT(told_, ElementsAre("waiting for a\n"));
}

TEST_F(WaitLinesTest, AnotherThingIsToldSoonAndTheSameNowAndThen) {
  after(2, "a");
  after(5, "b");
  EXPECT_EQ(told_.size(), 1U) << "no flood of lines";
  after(5, "b");
  for (int i = 0; i < 61; ++i) after(1, "b");
  EXPECT_THAT(told_, ElementsAre("waiting for a\n", "waiting for b\n", "still waiting for b (60 s)\n"));
}

TEST_F(WaitLinesTest, ATimeThatGoesOnIsNoOtherThing) {
  after(2, "a, which asked 2 s ago");
  after(15, "a, which asked 17 s ago");
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(WaitLinesTest, WhereOtherThingsAreToldItIsSilent) {
  after(2, "");
  EXPECT_TRUE(told_.empty());
  lines_.told();
  after(9, "a");
  EXPECT_TRUE(told_.empty());
  after(1, "a");
  EXPECT_EQ(told_.size(), 1U);
}

}  // namespace
}  // namespace hearth::bootstrap
