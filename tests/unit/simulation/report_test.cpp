#include "simulation/report.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "simulation/many_runs.hpp"

namespace hearth::simulation {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

PlayedSite a_site() {
  return {.file = "site.yaml",
          .faults = "rare",
          .machines = 2,
          .pool = 3,
          .without_own = 2,
          .image_bytes = std::uint64_t{2} << 30U,
          .link = 125'000'000,
          .notes = {},
          .replay = "hearth simulate site.yaml --replay"};
}

RunResult a_run(std::uint64_t number) {
  RunResult run{.run = number, .broken = "", .digest = "d", .faults = 1, .events = 10, .seconds = 100, .tally = {}};
  run.tally.boots = 20;
  run.tally.converged = minutes(9 + static_cast<int>(number));
  run.tally.machines["a"].up = minutes(8);
  run.tally.machines["b"].up = minutes(9);
  return run;
}

std::string kinds_of(const std::vector<WeakPoint>& points) {
  std::string kinds;
  for (const WeakPoint& point : points) kinds += point.kind + " ";
  return kinds;
}

TEST(Report, AGoodSiteHasNoWeakPoint) {
  const std::vector<RunResult> runs = {a_run(1), a_run(2), a_run(3)};
  EXPECT_EQ(kinds_of(weak_points(a_site(), runs)), "");
  const std::string text = report_text(a_site(), runs);
  EXPECT_NE(text.find("all machines run: median 11m00s, p99 12m00s from blank"), std::string::npos) << text;
  EXPECT_NE(text.find("no weak point was seen"), std::string::npos) << text;
}

TEST(Report, APoolThatIsTooSmallIsNamedWithItsShare) {
  std::vector<RunResult> runs = {a_run(1), a_run(2)};
  runs[1].tally.waited = runs[1].tally.no_room = 2;
  runs[1].tally.waiting = minutes(1);
  const auto points = weak_points(a_site(), runs);
  ASSERT_EQ(kinds_of(points), "address-pool ");
  EXPECT_EQ(points[0].text,
            "with this pool 5.0 % of boots wait for an address, since none is free: 3 for 2 machines, and whoever else "
            "asks; who waits does so for 30.0s");
}

TEST(Report, ARunThatDidNotComeToItsEndStandsFirstWithTheWayToSeeIt) {
  std::vector<RunResult> runs = {a_run(1), a_run(2)};
  runs[1].broken = "6.0 h after the last fault: b is deploy failed";
  runs[1].tally.waited = runs[1].tally.no_room = 2;
  const auto points = weak_points(a_site(), runs);
  ASSERT_EQ(kinds_of(points), "run-broken address-pool ");
  EXPECT_EQ(points[0].advice, "hearth simulate site.yaml --replay 2");
  EXPECT_EQ(bad_runs(runs), 1U);
}

TEST(Report, TheFaultThatCostsMostIsNamed) {
  std::vector<RunResult> runs = {a_run(1)};
  runs[0].tally.recoveries = {{FaultKind::site_power, minutes(12)}, {FaultKind::kill_conductor, seconds(0)}};
  const auto points = weak_points(a_site(), runs);
  ASSERT_EQ(kinds_of(points), "fault-cost ");
  EXPECT_EQ(
      points[0].text,
      "site-power costs most: 100 % of all the time in which something was away; once: median 12m00s, p99 12m00s");
}

TEST(Report, ASlowMachineAndASharedLinkAreNamed) {
  std::vector<RunResult> runs = {a_run(1), a_run(2)};
  for (RunResult& run : runs) {
    run.tally.machines["c"].up = minutes(30);
    run.tally.writes = 2;
    run.tally.writing = minutes(10);
    run.tally.shared = minutes(4);
    run.tally.most_writers = 2;
  }
  EXPECT_EQ(kinds_of(weak_points(a_site(), runs)), "image-link slow-machine ");
}

TEST(Report, AnImageThatHadNotComeIsNoneThatTookNoTime) {
  RunResult run = a_run(1);
  run.tally.writers = run.tally.most_writers = 1;
  const auto points = weak_points(a_site(), {run});
  ASSERT_EQ(kinds_of(points), "image-link ");
  EXPECT_NE(points[0].text.find("had not come when a run was given up"), std::string::npos) << points[0].text;
}

TEST(Report, ARunIsReadAsItIsWritten) {
  RunResult run = a_run(7);
  run.tally.writers = 4;
  run.broken = "x";
  run.tally.recoveries = {{FaultKind::slow_bmc, seconds(3)}};
  run.tally.machines["c"] = {{}, 2, 3};
  const RunResult read = parse_result(line_of(run));
  EXPECT_EQ(line_of(read), line_of(run));
  EXPECT_EQ(read.tally.writers, 4U);
  EXPECT_EQ(read.tally.machines.at("c").failures, 3U);
  EXPECT_THROW((void)parse_result("{"), Error);
}

TEST(ManyRuns, FewerProcessesPlayWhereMemoryIsShortAndNoneWhereItIsTooShort) {
  constexpr std::uint64_t k_mib = std::uint64_t{1} << 20U;
  EXPECT_EQ(fitting_processes(8, 20, 0), 8U);
  EXPECT_EQ(fitting_processes(8, 20, 10000 * k_mib), 8U);
  EXPECT_EQ(fitting_processes(8, 20, 200 * k_mib), 3U);
  EXPECT_THROW((void)fitting_processes(8, 20, 50 * k_mib), Error);
}

TEST(ManyRuns, OneThatEndsItsProcessIsToldAndTheRestIsPlayed) {
  ManyRuns wish;
  wish.runs = 7;
  wish.processes = 2;
  wish.play = [](std::uint64_t run) {
    if (run == 4) throw Error(ErrorKind::input, "this one is bad");
    if (run == 6) std::_Exit(70);
    return Played{"", cat(run), Duration(0), 1, {}, {}, {}};
  };
  const std::vector<RunResult> results = play_all(wish);
  ASSERT_EQ(results.size(), 7U);
  for (std::uint64_t run = 1; run <= 7; ++run) {
    EXPECT_EQ(results[run - 1].run, run);
    EXPECT_EQ(results[run - 1].broken.empty(), run != 4 && run != 6) << run;
  }
  EXPECT_NE(results[3].broken.find("this one is bad"), std::string::npos) << results[3].broken;
}

}  // namespace
}  // namespace hearth::simulation
