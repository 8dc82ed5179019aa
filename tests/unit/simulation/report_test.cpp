#include "simulation/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
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

Sums sums_of(const std::vector<RunResult>& runs) {
  Sums sums;
  for (const RunResult& run : runs) sums.add(run);
  return sums;
}

std::string kinds_of(const std::vector<WeakPoint>& points) {
  std::string kinds;
  for (const WeakPoint& point : points) kinds += point.kind + " ";
  return kinds;
}

TEST(Report, AGoodSiteHasNoWeakPoint) {
  const std::vector<RunResult> runs = {a_run(1), a_run(2), a_run(3)};
  EXPECT_EQ(kinds_of(weak_points(a_site(), sums_of(runs))), "");
  const std::string text = report_text(a_site(), sums_of(runs));
  EXPECT_NE(text.find("all machines run: median 11m00s, p99 12m00s from blank"), std::string::npos) << text;
  EXPECT_NE(text.find("no weak point was seen"), std::string::npos) << text;
  EXPECT_NE(text.find("faults played 3\nafter all 3 faults nothing more was away"), std::string::npos) << text;
}

TEST(Report, APoolThatIsTooSmallIsNamedWithItsShare) {
  std::vector<RunResult> runs = {a_run(1), a_run(2)};
  runs[1].tally.waited = runs[1].tally.no_room = 2;
  runs[1].tally.waiting = minutes(1);
  const auto points = weak_points(a_site(), sums_of(runs));
  ASSERT_EQ(kinds_of(points), "address-pool ");
  EXPECT_EQ(points[0].text,
            "with this pool 5.0 % of boots wait for an address, since none is free: 3 for 2 machines, and whoever else "
            "asks; who waits does so for 30.0s");
}

TEST(Report, ARunThatDidNotComeToItsEndStandsFirstWithTheWayToSeeIt) {
  std::vector<RunResult> runs = {a_run(1), a_run(2)};
  runs[1].broken = "6.0 h after the last fault: b is deploy failed";
  runs[1].tally.waited = runs[1].tally.no_room = 2;
  const auto points = weak_points(a_site(), sums_of(runs));
  ASSERT_EQ(kinds_of(points), "run-broken address-pool ");
  EXPECT_EQ(points[0].advice, "hearth simulate site.yaml --replay 2");
  EXPECT_EQ(sums_of(runs).bad.size(), 1U);
}

TEST(Report, TheFaultThatCostsMostIsNamed) {
  std::vector<RunResult> runs = {a_run(1)};
  runs[0].tally.recoveries = {{FaultKind::site_power, minutes(12)}, {FaultKind::kill_conductor, seconds(0)}};
  const auto points = weak_points(a_site(), sums_of(runs));
  ASSERT_EQ(kinds_of(points), "fault-cost ");
  EXPECT_EQ(
      points[0].text,
      "site-power costs most: 100 % of all the time in which something was away; once: median 12m00s, p99 12m00s");
  EXPECT_EQ(points[0].advice, "a UPS or a second feed for the room");
  const std::string text = report_text(a_site(), sums_of(runs));
  EXPECT_EQ(text.find("kill-conductor"), std::string::npos) << "nothing was away after it: " << text;
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
  EXPECT_EQ(kinds_of(weak_points(a_site(), sums_of(runs))), "image-link slow-machine ");
}

TEST(Report, AnImageThatHadNotComeIsNoneThatTookNoTime) {
  RunResult run = a_run(1);
  run.tally.writers = run.tally.most_writers = 1;
  const auto points = weak_points(a_site(), sums_of({run}));
  ASSERT_EQ(kinds_of(points), "image-link ");
  EXPECT_NE(points[0].text.find("had not come when a run was given up"), std::string::npos) << points[0].text;
}

TEST(Report, IsTheSameInWhateverOrderTheRunsEnd) {
  std::vector<RunResult> runs;
  for (std::uint64_t i = 0; i < 30; ++i) {
    runs.push_back(a_run(i));
    runs.back().tally.waited = 1;
    runs.back().tally.waiting = std::chrono::milliseconds(100 * i + 1);
    runs.back().tally.recoveries = {{FaultKind::site_power, std::chrono::milliseconds(333 * i + 7)},
                                    {FaultKind::kill_conductor, std::chrono::milliseconds(777 * (30 - i) + 1)}};
  }
  const std::string one = format_json(report_json(a_site(), sums_of(runs)));
  std::reverse(runs.begin(), runs.end());
  EXPECT_EQ(format_json(report_json(a_site(), sums_of(runs))), one);
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
  std::map<std::uint64_t, RunResult> results;
  std::uint64_t done = 0;
  wish.take = [&results](const RunResult& result) { results.emplace(result.run, result); };
  wish.progress = [&done](std::uint64_t so_far) { done = so_far; };
  wish.play = [](std::uint64_t run, const std::string& /*directory*/) {
    if (run == 4) throw Error(ErrorKind::input, "this one is bad");
    if (run == 6) std::_Exit(70);
    return Played{"", cat(run), Duration(0), 1, {}, {}, {}};
  };
  play_all(wish);
  EXPECT_EQ(done, 7U);
  ASSERT_EQ(results.size(), 7U);
  for (const auto& [run, result] : results) EXPECT_EQ(result.broken.empty(), run != 4 && run != 6) << run;
  EXPECT_NE(results[4].broken.find("this one is bad"), std::string::npos) << results[4].broken;
}

TEST(ManyRuns, WhatAProcessThatEndsHasLeftIsRemoved) {
  const TempDir parent = TempDir::create("/tmp", "hearth-runs-");
  ManyRuns wish;
  wish.runs = 2;
  wish.parent = parent.path().string();
  wish.take = [&parent](const RunResult& result) {
    EXPECT_EQ(result.broken.empty(), result.run == 1) << result.broken;
    EXPECT_EQ(result.digest.starts_with(parent.path().string()), result.run == 1) << result.digest;
  };
  wish.play = [](std::uint64_t run, const std::string& directory) {
    const std::string own = TempDir::create(directory, "left-").release().string();
    if (run == 2) std::_Exit(70);
    return Played{"", own, Duration(0), 1, {}, {}, {}};
  };
  play_all(wish);
  EXPECT_TRUE(fs::is_empty(parent.path()));
}

/// Memory is bounded: so many times as there may be are kept by tenths of a second, and told so.
TEST(Report, ManyTimesAreToldAsExactlyAsAFew) {
  Spread spread;
  for (int i = 1; i <= 1000; ++i) spread.add(i * 0.1);
  EXPECT_EQ(spread.count(), 1000U);
  EXPECT_DOUBLE_EQ(spread.at_share(0.5), 50.0);
  EXPECT_DOUBLE_EQ(spread.at_share(0.99), 99.0);
  EXPECT_DOUBLE_EQ(spread.at_share(1), 100.0);
  EXPECT_NEAR(spread.sum(), 50050, 0.01);
  EXPECT_EQ(Spread().at_share(0.5), 0);
}

}  // namespace
}  // namespace hearth::simulation
