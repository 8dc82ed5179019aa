#include "simulation/incident.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <limits>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stop_signals.hpp"

namespace hearth::simulation {
namespace {

using bootstrap::why::Incident;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr bootstrap::Stamp k_began = 1'750'000'000'000'000;

Json event(long seconds, const std::string& kind, const std::string& text) {
  Json made = {{"at", bootstrap::stamp_json(k_began + seconds * 1'000'000)}, {"kind", kind}, {"text", text}};
  const std::size_t arrow = text.find(" -> ");
  if (kind == "state") made["detail"] = {{"from", text.substr(0, arrow)}, {"to", text.substr(arrow + 4)}};
  return made;
}

/// A machine that is waited for, so many seconds after it was started; nothing of it was seen.
Incident waiting(long seconds) {
  Incident incident{.node = "web1", .made_at = "2026-11-25T08:00:00+00:00", .hearth = "0.1.0"};
  incident.facts.node = {{"name", "web1"},
                         {"driver", "redfish"},
                         {"provision_state", "wait call-back"},
                         {"properties", {{"capabilities", "boot_mode:bios"}}}};
  incident.facts.macs = {"52:54:00:00:00:42"};
  incident.facts.boot_log = Json::array();
  incident.facts.events = {event(0, "state", "available -> deploying"),     event(0, "stage", "deploy: check"),
                           event(1, "stage", "deploy: power off"),          event(2, "stage", "deploy: boot network"),
                           event(3, "stage", "deploy: power on"),           event(5, "stage", "deploy: await agent"),
                           event(5, "state", "deploying -> wait call-back")};
  incident.facts.now = k_began + (5 + seconds) * 1'000'000;
  return incident;
}

Matches played(const Incident& incident) {
  std::vector<std::string> notes;
  const TempDir work = TempDir::create(fs::temp_directory_path(), "hearth-incident-");
  Wish wish;
  wish.layout = std::make_shared<const Layout>(layout_of(incident, notes));
  wish.directory = work.path().string();
  return matches_of(course_of(incident), wish, [](std::uint64_t, std::uint64_t) {});
}

std::vector<std::string> kinds_in(const Matches& matches, bool same_cause) {
  std::vector<std::string> kinds;
  for (const Match& match : matches.found) {
    if (match.is_same_cause == same_cause)
      kinds.emplace_back(match.faults.empty() ? "none" : name(match.faults.front().kind));
  }
  return kinds;
}

TEST(Incident, AMachineOfWhichNothingIsSeenForMinutesIsCutOffOrSlow) {
  const std::vector<std::string> kinds = kinds_in(played(waiting(600)), true);
  EXPECT_THAT(kinds, AllOf(Contains("cut-machine"), Not(Contains("none")), Not(Contains("dead-disk")),
                           Not(Contains("kill-conductor"))));
}

TEST(Incident, WhatASignalStopsTellsOfTheRunsUpToThen) {
  std::vector<std::string> notes;
  const TempDir work = TempDir::create(fs::temp_directory_path(), "hearth-incident-");
  const Incident incident = waiting(600);
  Wish wish;
  wish.layout = std::make_shared<const Layout>(layout_of(incident, notes));
  wish.directory = work.path().string();
  const StopSignals signals;
  const Matches matches = matches_of(course_of(incident), wish, [](std::uint64_t done, std::uint64_t) {
    if (done == 2) (void)std::raise(SIGINT);
  });
  EXPECT_TRUE(matches.is_stopped);
  EXPECT_EQ(matches.played, 3U) << "without a fault, and two with one";
  EXPECT_THAT(matches_text(incident, course_of(incident), matches, ""),
              AllOf(HasSubstr("\n3 runs of one machine"), HasSubstr("Stopped before all were played")));
  EXPECT_EQ(matches_json(incident, course_of(incident), matches)["stopped"], true);
}

TEST(Incident, OneThatNeedsTimeIsToldAsThat) {
  const Matches matches = played(waiting(5));
  EXPECT_THAT(kinds_in(matches, true), ::testing::ElementsAre("none"));
  const std::string text = matches_text(waiting(5), course_of(waiting(5)), matches, "hearth simulate f --replay");
  EXPECT_THAT(text, AllOf(HasSubstr("no fault: it has stood there for"), HasSubstr("web1: deploying, then wait"),
                          HasSubstr("\n1 run of one machine, without a fault\n")));
}

TEST(Incident, WhatTheMachineAskedTheBootServersForCounts) {
  Incident incident = waiting(600);
  const double at = static_cast<double>(k_began) / 1e6 + 60;
  incident.facts.boot_log = {{{"time", at}, {"protocol", "dhcp"}, {"what", "DISCOVER"}, {"outcome", "OFFER"}},
                             {{"time", at + 1}, {"protocol", "http"}, {"what", "GET /image/node/1/kernel"}},
                             {{"time", at + 2}, {"protocol", "http"}, {"what", "GET /image/node/1/ramdisk"}}};
  const Course course = course_of(incident);
  EXPECT_EQ(course.reached, Reached::ramdisk);
  EXPECT_EQ(course.waited, std::chrono::seconds(543));
  const Matches matches = played(incident);
  bool is_late = false;  // begun before its ramdisk had started it would have come less far
  for (const Match& match : matches.found)
    is_late = is_late ||
              (match.faults.front().kind == FaultKind::cut_machine && match.before.find("agent") != match.before.npos);
  EXPECT_TRUE(is_late) << matches_text(incident, course, matches, "");
}

TEST(Incident, OfTheMachineNameCardAndFirmwareAreKept) {
  std::vector<std::string> notes;
  const Layout layout = layout_of(waiting(5), notes);
  EXPECT_EQ(layout.machines.front().name, "web1");
  EXPECT_EQ(layout.machines.front().mac, "52:54:00:00:00:42");
  EXPECT_EQ(layout.machines.front().uefi, false);
  Incident odd = waiting(5);
  odd.node = "../a b";
  odd.facts.macs = {"no address"};
  odd.facts.node["driver"] = "ipmi";
  EXPECT_EQ(layout_of(odd, notes).machines.front().name, "node1");
  EXPECT_THAT(notes, Contains(HasSubstr("not ipmi")));
}

TEST(Incident, ClocksThatSayAnythingAreEndured) {
  Incident odd = waiting(5);
  odd.facts.events[0]["at"] = "292277-01-01T00:00:00";
  odd.facts.events[1]["at"] = "-99999-01-01T00:00:00";
  odd.facts.boot_log = {{{"time", 1e300}, {"protocol", "dhcp"}, {"what", "DISCOVER"}}};
  odd.facts.now = std::numeric_limits<bootstrap::Stamp>::max();
  EXPECT_GE(course_of(odd).waited.count(), 0);
}

TEST(Incident, OneWithoutAJobOrWithAnotherIsRefused) {
  const auto said = [](const Incident& incident) -> std::string {
    try {
      (void)course_of(incident);
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  };
  Incident quiet = waiting(5);
  quiet.facts.events = Json::array();
  EXPECT_THAT(said(quiet), HasSubstr("has no job in its events"));
  Incident other = waiting(5);
  other.facts.events = {event(0, "state", "manageable -> inspecting")};
  EXPECT_THAT(said(other), HasSubstr("began as inspecting: verifying and deploying are played"));
  Incident ended = waiting(5);
  ended.facts.node["last_error"] = "The deploy was aborted by request.";
  EXPECT_THAT(said(ended), HasSubstr("a person ended the last job of web1"));
}

}  // namespace
}  // namespace hearth::simulation
