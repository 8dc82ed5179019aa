#include "simulation/calls.hpp"

#include <gtest/gtest.h>

#include "base/sys/random.hpp"
#include "simulation/scheduler.hpp"

namespace hearth::simulation {
namespace {

TEST(Calls, WhatReadsAClockOrDrawsANumberGetsTheWorlds) {
  Scheduler scheduler;
  std::string first;
  {
    const Calls calls(scheduler.clock(), 7);
    first = random_hex(8);
    EXPECT_EQ(SystemClock().now(), scheduler.now());
    EXPECT_EQ(SystemClock().wall(), scheduler.clock().wall());
  }
  {
    const Calls calls(scheduler.clock(), 7);
    EXPECT_EQ(random_hex(8), first);
  }
  EXPECT_NE(random_hex(8), first);
  EXPECT_NE(SystemClock().wall(), scheduler.clock().wall());
}

}  // namespace
}  // namespace hearth::simulation
