#include "builder/vm/boot_report.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder::vm {
namespace {

using testing::HasSubstr;
using Outcome = Verdict::Outcome;

BootReport failed_report() {
  return {.passed = false,
          .seen = {{"login:", "vm login:", std::chrono::seconds(9)}},
          .checked = {{{"service nginx: running", Outcome::passed, "active"}, std::chrono::seconds(10)},
                      {{"file /a: mode", Outcome::failed, "is 600, not 0644"}, std::chrono::seconds(11)},
                      {{"command x", Outcome::skipped, "the file says skip"}, std::chrono::seconds(11)}},
          .is_all_seen = true,
          .gave_sign = true,
          .missing = "file /a: mode",
          .reason = "is 600, not 0644",
          .last_lines = {"a last line"},
          .took = std::chrono::seconds(12)};
}

TEST(BootReportTest, PeopleReadWhatFailedAmongTheOthers) {
  EXPECT_EQ(failed_report().text(),
            "  9.0 s  vm login:\n"
            "  10.0 s  service nginx: running: active\n"
            "  11.0 s  FAILED  file /a: mode: is 600, not 0644\n"
            "  11.0 s  command x: the file says skip\n"
            "failed after 12.0 s: file /a: mode: is 600, not 0644\n");
  BootReport report = failed_report();
  report.checked[2].verdict.outcome = Outcome::failed;
  EXPECT_THAT(report.text(), testing::EndsWith("not 0644\n  failed, too: command x\n"));
  report.checked[0].verdict.outcome = Outcome::failed;
  EXPECT_THAT(report.text(), HasSubstr("  last lines of the console:\n    a last line\n")) << "nothing was answered";
  report.is_all_seen = false;
  EXPECT_THAT(report.text(), HasSubstr("12.0 s: is 600, not 0644\n  not seen: file /a: mode\n"));
}

TEST(BootReportTest, WhatAMachineSaysMakesNoLineOfTheReport) {
  BootReport report = failed_report();
  report.reason = report.checked[1].verdict.told = "one\n  1.0 s  forged";
  report.checked[0].verdict.name = "run a\nb";
  EXPECT_THAT(report.text(), HasSubstr("run a\\nb"));
  EXPECT_THAT(report.text(), HasSubstr("mode: one\n        |   1.0 s  forged\n"));
  EXPECT_THAT(report.text(), HasSubstr("mode: one\n        |   1.0 s  forged\n"));
}

/// Of a machine that only checks were asked of, and that never came up.
BootReport silent_report() {
  return {.passed = false,
          .seen = {},
          .checked = {{{"http 80/", Outcome::unanswered, "connection refused"}, std::chrono::seconds(5)},
                      {{"file /a: mode", Outcome::unanswered, "not asked: no loader"}, std::chrono::seconds(5)},
                      {{"command x", Outcome::skipped, "the file says skip"}, std::chrono::seconds(5)}},
          .is_all_seen = true,
          .missing = "http 80/",
          .reason = "no loader",
          .last_lines = {"a last line"},
          .took = std::chrono::seconds(5)};
}

TEST(BootReportTest, WhatNobodyAnsweredIsNoFailureOfACheck) {
  const BootReport report = silent_report();
  EXPECT_EQ(report.exit_code(), 4);
  EXPECT_EQ(report.text(),
            "  5.0 s  NO ANSWER  http 80/: connection refused\n"
            "  5.0 s  NO ANSWER  file /a: mode: not asked: no loader\n"
            "  5.0 s  command x: the file says skip\n"
            "failed after 5.0 s: the machine gave no sign of life: no loader\n"
            "  last lines of the console:\n    a last line\n");
  EXPECT_THAT(report.junit("web.qcow2"), HasSubstr("tests=\"3\" failures=\"0\" errors=\"2\" skipped=\"1\""));
  EXPECT_THAT(report.junit("web.qcow2"), HasSubstr("<error type=\"check\" message=\"connection refused\">"));
  EXPECT_EQ(report.json().at("checked").at(0).at("result"), "unanswered");
  EXPECT_EQ(report.json().at("gave_sign"), false);
}

TEST(BootReportTest, AMissingSignIsAnErrorOfASilentMachineAndAFailureOfOneThatCameUp) {
  BootReport report = silent_report();
  report.is_all_seen = false;
  report.missing = "login:";
  EXPECT_EQ(report.exit_code(), 4);
  EXPECT_THAT(report.junit("web.qcow2"), HasSubstr("failures=\"0\" errors=\"3\""));
  report.gave_sign = true;
  EXPECT_EQ(report.exit_code(), 4) << "it owes a sign";
  EXPECT_THAT(report.junit("web.qcow2"), HasSubstr("failures=\"1\" errors=\"2\""));
}

TEST(BootReportTest, ItsExitCodeTellsAFailedCheckFromAMachineThatNeverCameUp) {
  BootReport report = failed_report();
  EXPECT_EQ(report.exit_code(), 3);
  report.gave_sign = false;
  EXPECT_EQ(report.exit_code(), 4) << "nobody answered";
  report.gave_sign = true;
  report.is_all_seen = false;
  EXPECT_EQ(report.exit_code(), 4) << "whatever else failed";
  report.passed = true;
  EXPECT_EQ(report.exit_code(), 0);
}

TEST(BootReportTest, ProgramsReadEachResult) {
  const Json json = failed_report().json();
  EXPECT_EQ(json.at("checked").at(1).at("result"), "failed");
  EXPECT_EQ(json.at("checked").at(2).at("result"), "skipped");
  EXPECT_EQ(json.at("seen").at(0).at("expected"), "login:");
}

TEST(BootReportTest, CiServicesCountTheConsoleToo) {
  BootReport report = failed_report();
  EXPECT_THAT(report.junit("web.qcow2"), HasSubstr("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  for (const char* time : {"9.000", "1.000", "0.000"})
    EXPECT_THAT(report.junit("web.qcow2"), HasSubstr(cat("time=\"", time, "\""))) << "since the one before it";
  report.checked[0].verdict.outcome = Outcome::failed;
  const std::string twice = report.junit("web.qcow2");
  const auto times = [&](const std::string& text) {
    return (twice.size() - replace_all(twice, text, "").size()) / text.size();
  };
  EXPECT_EQ(times("<system-out>a last line</system-out>"), 2U) << "the console with each of the two";
  EXPECT_EQ(times("a last line"), 2U) << "and once only";
  report.checked[0].verdict.outcome = Outcome::passed;
  report.is_all_seen = false;
  report.missing = "hello: done";
  report.reason = "the deadline passed";
  const std::string xml = report.junit("web.qcow2");
  EXPECT_THAT(xml, HasSubstr("tests=\"5\" failures=\"2\""));
  EXPECT_THAT(xml, HasSubstr("name=\"console hello: done\""));
  EXPECT_THAT(xml, HasSubstr("a last line"));
}

}  // namespace
}  // namespace hearth::builder::vm
