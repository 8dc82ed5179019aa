#include "simulation/world.hpp"

#include <gtest/gtest.h>

#include "simulation/timeline.hpp"

namespace hearth::simulation {
namespace {

using std::chrono::seconds;

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
