#include "builder/fleet/schedule.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

constexpr std::uint64_t k_fleet_mib = std::uint64_t{1} << 20U;
constexpr std::uint64_t k_plenty = k_fleet_mib * 1024 * 1024;

/// a and b have two steps in common, c and d others two; each ends with one of its own.
class ScheduleTest : public testing::Test {
 protected:
  Schedule schedule(std::size_t jobs, std::uint64_t memory = k_plenty) const {
    return Schedule(graph_, needs_, {jobs, memory});
  }
  static int next(Schedule& schedule) {
    const auto start = schedule.next();
    return start ? static_cast<int>(start->image) : -1;
  }
  StepGraph graph_{{{"a", {"1", "2", "3a", "9"}, {"1", "2", "3a"}},
                    {"b", {"1", "2", "3b", "9"}, {"1", "2", "3b"}},
                    {"c", {"5", "6", "7c", "9"}, {"5", "6", "7c"}},
                    {"d", {"5", "6", "7d", "9"}, {"5", "6", "7d"}}}};
  std::vector<ImageNeeds> needs_{4, {.memory = 100 * k_fleet_mib, .usual_memory = 2048 * k_fleet_mib, .lock = ""}};
};

TEST_F(ScheduleTest, AnImageWaitsForStepsThatARunningOneDoesForIt) {
  Schedule all = schedule(4);
  EXPECT_EQ(next(all), 0);
  EXPECT_EQ(next(all), 2);
  EXPECT_EQ(next(all), -1);
  all.stored(0, "1");
  EXPECT_EQ(next(all), -1);
  all.stored(0, "2");
  EXPECT_EQ(next(all), 1);
  all.ended(2, Schedule::End::failed);  // it left nothing: the next one tries, without company
  EXPECT_EQ(next(all), 3);
  EXPECT_EQ(next(all), -1);
  EXPECT_EQ(all.running(), 3U);
  EXPECT_EQ(all.waiting(), 0U);
}

TEST_F(ScheduleTest, OfWhatCantBeKeptNobodyWaitsTwice) {
  StepGraph one_base({{"a", {"1", "2"}, {"1", "2a"}}, {"b", {"1", "2"}, {"1", "2b"}}, {"c", {"1", "2"}, {"1", "2c"}}});
  Schedule all(one_base, {3, needs_[0]}, {4, k_plenty});
  EXPECT_EQ(next(all), 0);
  EXPECT_EQ(next(all), -1);
  all.ended(0, Schedule::End::built);  // its first step was not kept
  EXPECT_EQ(next(all), 1);
  EXPECT_EQ(next(all), 2);
}

TEST_F(ScheduleTest, NobodyWaitsForWhatARunningImageWillNotKeep) {
  Schedule all = schedule(4);
  EXPECT_EQ(next(all), 0);
  EXPECT_EQ(next(all), 2);
  EXPECT_EQ(all.awaited(), (std::map<std::size_t, std::size_t>{{0, 1}, {2, 1}}));
  all.keeps_up_to(0, "1");
  EXPECT_EQ(next(all), -1);  // the first step is yet to come
  all.stored(0, "1");
  EXPECT_EQ(next(all), 1);
  EXPECT_EQ(all.awaited(), (std::map<std::size_t, std::size_t>{{2, 1}}));
  all.keeps_up_to(2, "");
  EXPECT_EQ(next(all), 3);
  EXPECT_TRUE(all.awaited().empty());
}

TEST_F(ScheduleTest, AnImageThatCouldNotBeStartedComesAgain) {
  Schedule all = schedule(4);
  EXPECT_EQ(next(all), 0);
  EXPECT_EQ(next(all), 2);
  all.postpone(2);
  EXPECT_EQ(next(all), -1);  // one is what the machine has room for
  all.ended(0, Schedule::End::failed);
  EXPECT_EQ(next(all), 1);
  EXPECT_EQ(next(all), -1);
}

TEST_F(ScheduleTest, AnImageThatWasUpToDateSaysNothingOfLayers) {
  StepGraph one_base({{"a", {"1", "2"}, {"1", "2a"}}, {"b", {"1", "2"}, {"1", "2b"}}, {"c", {"1", "2"}, {"1", "2c"}}});
  Schedule all(one_base, {3, needs_[0]}, {4, k_plenty});
  EXPECT_EQ(next(all), 0);
  all.ended(0, Schedule::End::unchanged);
  EXPECT_EQ(next(all), 1);
  EXPECT_EQ(next(all), -1);
}

TEST_F(ScheduleTest, NoMoreRunAtOnceThanThereAreJobs) {
  Schedule all = schedule(1);
  EXPECT_EQ(next(all), 0);
  EXPECT_EQ(next(all), -1);
  all.ended(0, Schedule::End::built);
  EXPECT_EQ(next(all), 1);
}

TEST_F(ScheduleTest, TogetherTheyTakeNoMoreMemoryThanTheyMay) {
  Schedule all = schedule(4, 300 * k_fleet_mib);  // each: 125 MiB and what programs take
  EXPECT_EQ(next(all), 0);
  EXPECT_EQ(next(all), -1);
  all.ended(0, Schedule::End::failed);
  EXPECT_EQ(next(all), 1);
}

TEST_F(ScheduleTest, AnImageThatIsTooLargeForTheMemoryIsBuiltOnDisk) {
  needs_[0].memory = 5000 * k_fleet_mib;
  Schedule all = schedule(4, 1000 * k_fleet_mib);
  EXPECT_EQ(all.next()->memory, 0U);
  EXPECT_EQ(all.next()->memory, 1000 * k_fleet_mib);
}

TEST_F(ScheduleTest, WhatNobodyKnowsIsTakenFromTheImageThatIsMostLikeIt) {
  needs_[0].memory.reset();
  needs_[1].memory.reset();
  needs_[2].memory.reset();
  Schedule all = schedule(4, 2100 * k_fleet_mib);
  EXPECT_EQ(all.next()->memory, 0U);                  // a: 2048 MiB and programs are more than all
  EXPECT_EQ(all.next()->memory, 2100 * k_fleet_mib);  // c: as d
  all.stored(0, "2");
  all.ended(0, Schedule::End::built, 100 * k_fleet_mib);
  EXPECT_EQ(all.next()->memory, 2100 * k_fleet_mib);  // b: as a
}

TEST_F(ScheduleTest, TwoThatWriteOneLockAreBuiltOneAfterTheOther) {
  needs_[0].lock = needs_[2].lock = "/srv/hearth.lock";
  needs_[0].writes_lock = needs_[2].writes_lock = true;
  Schedule all = schedule(4);
  EXPECT_EQ(next(all), 0);
  EXPECT_EQ(next(all), 3);
  all.ended(0, Schedule::End::built);
  EXPECT_EQ(next(all), 1);
}

TEST_F(ScheduleTest, WhoReadsALockWaitsForTheRecordingsBeforeHim) {
  needs_[0].lock = needs_[2].lock = needs_[3].lock = "/srv/hearth.lock";
  needs_[2].writes_lock = true;
  Schedule all = schedule(4);
  EXPECT_EQ(next(all), 0);
  EXPECT_EQ(next(all), 2);
  all.stored(2, "6");
  EXPECT_EQ(next(all), -1);
  all.ended(2, Schedule::End::built);
  EXPECT_EQ(next(all), 3);
}

}  // namespace
}  // namespace hearth::builder
