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
  after(2, "a, which asked 2 s ago (at 22:58:26: 3/10, 9s of 1.5GiB, since 2026-11-26T22:58:26Z)");
  after(15, "a, which asked 17 s ago (at 22:58:41: 4/10, 24s of 1.5GiB, since 2026-11-26T22:58:41Z)");
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(WaitLinesTest, WhatHasAnotherNumberInItsNameIsAnotherThing) {
  after(2, "web1, at 192.0.2.1");
  after(10, "web2, at 192.0.2.1");
  after(10, "web2, at 192.0.2.2");
  after(10, "web2, by 52:54:00:12:34:56");
  after(10, "web2, by 52:54:00:12:34:57");
  EXPECT_EQ(told_.size(), 5U);
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
