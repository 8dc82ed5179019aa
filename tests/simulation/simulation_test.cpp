// The simulation itself: that it is one and the same each time, that what it plays can be interrupted anywhere, and
// that it tells what it should.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "tests/simulation/timeline.hpp"

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

TEST(Calls, WhatReadsAClockOrDrawsANumberGetsTheWorlds) {
  Scheduler scheduler;
  std::string first;
  {
    const Calls calls(scheduler.clock(), 7);
    first = random_hex(8);
    EXPECT_EQ(SystemClock().now(), scheduler.now());
    EXPECT_EQ(SystemClock().wall(), scheduler.clock().wall());
    EXPECT_EQ(calls.clock_reads(), 2U);
  }
  {
    const Calls calls(scheduler.clock(), 7);
    EXPECT_EQ(random_hex(8), first);
  }
  EXPECT_NE(random_hex(8), first);
  EXPECT_NE(SystemClock().wall(), scheduler.clock().wall());
}

TEST(Faults, AreReadAsTheyAreWritten) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    const std::vector<Fault> faults = faults_of(seed, 20, std::chrono::minutes(40));
    std::vector<std::string> texts;
    for (const Fault& fault : faults) texts.push_back(text_of(fault));
    const auto read = parse_faults(join(texts, ","));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, faults);
  }
  EXPECT_NE(parse_faults("flood:node1@1+2").error().find("kill-conductor"), std::string::npos);
  EXPECT_FALSE(parse_faults("hung-bmc@1+2"));
  EXPECT_FALSE(parse_faults("full-disk:node1@1+2"));
  EXPECT_FALSE(parse_faults("hung-bmc:node0@1+2"));
}

TEST(Faults, AreShrunkToThoseThatAreNeeded) {
  const std::vector<Fault> all = faults_of(17, 20, std::chrono::minutes(40));
  ASSERT_GT(all.size(), 5U);
  const auto needs = [&](const std::vector<Fault>& faults) {
    const auto has = [&](const Fault& one) { return std::find(faults.begin(), faults.end(), one) != faults.end(); };
    return has(all[1]) && has(all[4]);
  };
  EXPECT_EQ(shrunk(all, needs), (std::vector<Fault>{all[1], all[4]}));
}

TEST(World, TheSameNumberGivesTheSameTrace) {
  Wish wish{.seed = 12, .machines = 3};
  const Played first = play(wish);
  const Played again = play(wish);
  EXPECT_EQ(first.digest, again.digest);
  EXPECT_EQ(first.events, again.events);
  wish.seed = 13;
  EXPECT_NE(play(wish).digest, first.digest);
}

TEST(World, BlankMachinesBecomeActive) {
  const Played played = play({.seed = 1, .machines = 4, .faults = std::vector<Fault>(), .keep = Trace::Keep::lines});
  EXPECT_EQ(played.broken, "");
  int systems = 0;
  for (const TraceLine& line : played.lines) systems += line.what == "runs its system" ? 1 : 0;
  EXPECT_EQ(systems, 4);
  const std::string picture = timeline(played);
  EXPECT_NE(picture.find("runs its system"), std::string::npos);
  EXPECT_NE(picture.find(">node4</text>"), std::string::npos);
}

TEST(World, WhatDoesNotComeToItsEndIsTold) {
  const std::vector<Fault> faults = {{FaultKind::hung_bmc, 0, seconds(1), Duration(0)}};  // for ever
  const Played played = play({.seed = 1, .machines = 2, .faults = faults});
  EXPECT_NE(played.broken.find("after the last fault: node1 is "), std::string::npos) << played.broken;
}

}  // namespace
}  // namespace hearth::simulation
