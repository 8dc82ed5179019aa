#include "base/clock.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"

namespace hearth {
namespace {

using namespace std::chrono_literals;

TEST(SystemClockTest, SleepsAtLeastAsLongAsAsked) {
  SystemClock clock;
  const MonotonicTime begin = clock.now();
  clock.sleep(30ms);
  EXPECT_GE(clock.now() - begin, 30ms);
}

TEST(SystemClockTest, DoesNotSleepForNegativeTimes) {
  SystemClock clock;
  const MonotonicTime begin = clock.now();
  clock.sleep(-1h);
  EXPECT_LT(clock.now() - begin, 10s);
}

TEST(SystemClockTest, TheWallClockIsOfThisCentury) {
  EXPECT_GT(SystemClock().wall().time_since_epoch(), 24h * 365 * 50);
}

TEST(DeadlineTest, PassesWhenItsTimeHasCome) {
  fakes::ManualClock clock;
  const Deadline deadline = Deadline::after(10s, clock);
  clock.advance(10s - 1ns);
  EXPECT_FALSE(deadline.passed(clock.now()));
  clock.advance(1ns);
  EXPECT_TRUE(deadline.passed(clock.now()));
}

TEST(DeadlineTest, GivesPollATimeoutRoundedUpSoThatItDoesNotSpin) {
  fakes::ManualClock clock;
  EXPECT_EQ(Deadline::after(1500us, clock).poll_timeout(clock.now()), 2);
  EXPECT_EQ(Deadline::after(0s, clock).poll_timeout(clock.now()), 0);
  EXPECT_EQ(Deadline::never().poll_timeout(clock.now()), -1);
  EXPECT_EQ(Deadline::after(24h * 100, clock).poll_timeout(clock.now()), std::numeric_limits<int>::max());
}

TEST(DeadlineTest, NeverDoesNotPass) {
  EXPECT_TRUE(Deadline::never().is_never());
  EXPECT_FALSE(Deadline::never().passed(fakes::ManualClock().now()));
}

TEST(DeadlineTest, AVeryLongTimeIsNeverAndNotLongAgo) {
  const fakes::ManualClock clock;
  const Deadline deadline = Deadline::after(Duration::max(), clock);
  EXPECT_FALSE(deadline.passed(clock.now()));
  EXPECT_TRUE(deadline.is_never());
}

TEST(ManualClockTest, MovesByHandAndBySleeping) {
  fakes::ManualClock clock;
  const MonotonicTime begin = clock.now();
  clock.sleep(2s);
  clock.advance(3s);
  EXPECT_EQ(clock.now() - begin, 5s);
}

}  // namespace
}  // namespace hearth
