#include "simulation/world.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stop_signals.hpp"
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

/// The played BMCs, the person and the conductor's other face are beside it, whichever it is.
TEST(World, ASiteInAnyNetworkComesToItsEnd) {
  for (const char* network : {"198.51.100.", "203.0.113.", "10.51.100."}) {
    Layout layout = drawn_layout(1, 2);
    layout.network.subnet = *pxe::parse_subnet(cat(network, "0/24"));
    layout.network.server = *pxe::parse_ipv4(cat(network, "1"));
    layout.network.pools = {{*pxe::parse_ipv4(cat(network, "2")), *pxe::parse_ipv4(cat(network, "9"))}};
    const Played played =
        play({.seed = 1, .layout = std::make_shared<const Layout>(layout), .faults = std::vector<Fault>()});
    EXPECT_EQ(played.broken, "") << network;
  }
}

TEST(World, WhatDoesNotComeToItsEndIsTold) {
  const std::vector<Fault> faults = {{FaultKind::hung_bmc, 0, seconds(1), Duration(0)}};  // for ever
  const Played played = play({.seed = 1, .machines = 2, .faults = faults});
  EXPECT_NE(played.broken.find("after the last fault: node1 is "), std::string::npos) << played.broken;
}

/// A person looks after a minute: which of two faults it was that he sees, nobody knows.
TEST(World, FaultsThatBeganBeforeAnybodyLookedShareTheOutage) {
  const std::vector<Fault> faults = {{FaultKind::power_loss, 0, seconds(3600), Duration(0)},
                                     {FaultKind::slow_bmc, 1, seconds(3601), seconds(5)}};
  const Played played = play({.seed = 1, .machines = 2, .faults = faults, .trouble = seconds(4000)});
  ASSERT_EQ(played.broken, "");
  ASSERT_EQ(played.tally.recoveries.size(), 2U);
  EXPECT_EQ(played.tally.recoveries[0].kind, FaultKind::power_loss);
  EXPECT_GT(played.tally.recoveries[0].took, seconds(5));
  EXPECT_GT(played.tally.recoveries[1].took, seconds(5));
}

TEST(World, AnImageThatAPowerCutEndsIsNoneThatHasCome) {
  const Wish wish{.seed = 1, .machines = 1, .faults = std::vector<Fault>(), .keep = Trace::Keep::lines};
  const Played good = play(wish);
  EXPECT_EQ(good.tally.writes, 1U);
  Duration begins{};
  for (const TraceLine& line : good.lines) {
    if (line.what.starts_with("an image is written to ")) begins = line.at;
  }
  Wish cut = wish;
  cut.faults = {{FaultKind::power_loss, 0, begins + seconds(2), Duration(0)}};
  const Played again = play(cut);
  EXPECT_EQ(again.broken, "");
  EXPECT_EQ(again.tally.writes, 1U) << "the one that has come";
}

TEST(World, AClosedNetworkHasNoStrangers) {
  Wish wish{
      .seed = 1, .machines = 1, .faults = std::vector<Fault>(), .trouble = seconds(3600), .keep = Trace::Keep::lines};
  const auto visits = [&wish] {
    std::size_t count = 0;
    for (const TraceLine& line : play(wish).lines) count += line.kind == "dhcp" && line.who.starts_with("visitor");
    return count;
  };
  EXPECT_GT(visits(), 10U);
  wish.strangers = 0;
  EXPECT_EQ(visits(), 0U);
}

TEST(World, ASignalThatSomebodyWaitsForEndsItAndNothingIsLeft) {
  const TempDir parent = TempDir::create("/tmp", "hearth-stopped-");
  const StopSignals signals;
  std::raise(SIGINT);
  EXPECT_THROW((void)play({.seed = 1, .machines = 2, .directory = parent.path().string()}), Error);
  EXPECT_TRUE(fs::is_empty(parent.path()));
}

}  // namespace
}  // namespace hearth::simulation
