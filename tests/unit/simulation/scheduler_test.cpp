#include "simulation/scheduler.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::simulation {
namespace {

using std::chrono::seconds;

TEST(Scheduler, GoesByTimeAndThenByOrder) {
  Scheduler scheduler;
  std::string order;
  scheduler.after(seconds(2), Scheduler::k_world, [&] { order += "c"; });
  scheduler.after(seconds(1), Scheduler::k_world, [&] { order += "a"; });
  scheduler.after(seconds(1), Scheduler::k_world, [&] { order += "b"; });
  while (scheduler.step(scheduler.now() + seconds(10))) {
  }
  EXPECT_EQ(order, "abc");
}

TEST(Scheduler, ATaskSleepsAndIsWokenByABell) {
  Scheduler scheduler;
  Bell bell;
  std::string told;
  scheduler.start(Scheduler::k_world, [&] {
    scheduler.clock().sleep(seconds(3));
    told += cat(scheduler.elapsed() / seconds(1));
    told += scheduler.wait(bell, seconds(100)) ? " rung " : " late ";
    told += cat(scheduler.elapsed() / seconds(1));
    told += scheduler.wait(bell, seconds(5)) ? " rung " : " late ";
    told += cat(scheduler.elapsed() / seconds(1));
  });
  scheduler.after(seconds(10), Scheduler::k_world, [&] { bell.ring(); });
  const MonotonicTime end = scheduler.now() + seconds(1000);
  while (scheduler.step(end)) {
  }
  EXPECT_EQ(told, "3 rung 10 late 15");
}

TEST(Scheduler, WhatEndsIsUnwoundAndDoesNothingMore) {
  Scheduler scheduler;
  const OwnerId owner = scheduler.make_owner();
  std::string told;
  struct Goodbye {
    std::string& told;
    ~Goodbye() { told += "unwound "; }
  };
  scheduler.start(owner, [&] {
    const Goodbye goodbye{told};
    try {
      scheduler.sleep(seconds(100));
    } catch (const std::exception&) {
      told += "caught ";
    }
    told += "went on ";
  });
  scheduler.after(seconds(1), owner, [&] { told += "began "; });
  scheduler.after(seconds(20), owner, [&] { told += "late "; });
  scheduler.after(seconds(10), Scheduler::k_world, [&] { scheduler.end(owner); });
  const MonotonicTime end = scheduler.now() + seconds(1000);
  while (scheduler.step(end)) {
  }
  EXPECT_EQ(told, "began unwound ");
  EXPECT_FALSE(scheduler.lives(owner));
}

TEST(Scheduler, ATaskThatThrowsEndsTheSimulation) {
  Scheduler scheduler;
  scheduler.start(Scheduler::k_world, [] { throw Error(ErrorKind::input, "a mistake"); });
  EXPECT_THROW(while (scheduler.step(scheduler.now() + seconds(1))){}, Error);
}

}  // namespace
}  // namespace hearth::simulation
