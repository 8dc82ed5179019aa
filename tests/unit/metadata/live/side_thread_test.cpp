#include "metadata/live/side_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>

namespace hearth::metadata::live {
namespace {

using namespace std::chrono_literals;

TEST(SideThread, TakesTurnsAndDoesOnlyWhatIsBesideMeanwhile) {
  std::string told;
  std::promise<void> beside_goes_on;
  std::promise<void> woken;
  SideThread side(
      [&] {
        told += "a";
        EXPECT_TRUE(SideThread::is_here());
        SideThread::beside([&] {
          EXPECT_TRUE(SideThread::is_beside());
          EXPECT_FALSE(SideThread::is_here());
          SideThread::breathe();
          beside_goes_on.get_future().wait();
        });
        told += "c";
      },
      [&] { woken.set_value(); });
  EXPECT_EQ(told, "") << "it begins when it is told to";
  EXPECT_FALSE(side.go_on());
  told += "b";
  EXPECT_FALSE(side.go_on()) << "there is nothing to wait for";
  beside_goes_on.set_value();
  woken.get_future().wait();
  EXPECT_EQ(told, "ab");
  EXPECT_TRUE(side.go_on());
  EXPECT_EQ(told, "abc");
  EXPECT_TRUE(side.go_on());
}

TEST(SideThread, ThrowsWhatItsWorkThrew) {
  SideThread one([] { throw std::runtime_error("no"); }, [] {});
  EXPECT_THROW((void)one.go_on(), std::runtime_error);
  std::promise<void> woken;
  std::string told;
  SideThread two(
      [&] {
        try {
          SideThread::beside([] { throw std::runtime_error("no"); });
        } catch (const std::runtime_error&) {
          told = "seen where it was asked for";
        }
      },
      [&] { woken.set_value(); });
  (void)two.go_on();
  woken.get_future().wait();
  EXPECT_TRUE(two.go_on());
  EXPECT_EQ(told, "seen where it was asked for");
}

TEST(SideThread, WhatIsBesideEndsAtItsNextBreathWhereNobodyWantsItAnyMore) {
  std::atomic<bool> went_on = false;
  auto side = std::make_unique<SideThread>(
      [&] {
        SideThread::beside([] {
          for (;;) SideThread::breathe();
        });
        went_on = true;
      },
      [] {});
  EXPECT_FALSE(side->go_on());
  side.reset();
  EXPECT_FALSE(went_on);
  const SideThread never_begun([&] { went_on = true; }, [] {});
}

TEST(SideThread, WhatIsBesideRestsAtABreathUntilItIsLetGo) {
  std::atomic<int> turns = 0;
  std::atomic<bool> is_held = true;
  std::atomic<int> woken = 0;
  SideThread side(
      [&] {
        SideThread::beside([&] {
          for (; is_held; ++turns) SideThread::breathe();
        });
      },
      [&] { ++woken; });
  EXPECT_TRUE(side.rests()) << "it has not begun";
  side.let_go();
  EXPECT_FALSE(side.go_on());
  for (int times = 1; times < 4; ++times) {
    while (!side.rests()) std::this_thread::yield();
    EXPECT_EQ(woken, times);
    const int before = turns;
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(turns, before);
    EXPECT_FALSE(side.go_on()) << "it rests, and does not wait for its turn";
    side.let_go();
    while (turns == before) std::this_thread::yield();
  }
  is_held = false;
  while (!side.go_on()) std::this_thread::yield();
  EXPECT_TRUE(side.rests()) << "it has ended";
}

TEST(SideThread, WhatRestsEndsWhereNobodyWantsItAnyMore) {
  auto side = std::make_unique<SideThread>(
      [] {
        SideThread::beside([] {
          for (;;) SideThread::breathe();
        });
      },
      [] {});
  EXPECT_FALSE(side->go_on());
  while (!side->rests()) std::this_thread::yield();
  side.reset();
}

TEST(SideThread, ElsewhereWhatIsBesideIsJustDone) {
  bool done = false;
  SideThread::beside([&] { done = !SideThread::is_beside() && !SideThread::is_here(); });
  SideThread::breathe();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace hearth::metadata::live
