#include "metadata/serve/run_report.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata {
namespace {

RunReport failed() {
  RunReport report = read_run_report(Json::parse(R"({"state": "failed", "status": 1, "seconds": 3,
      "step": "20-os-net-config", "why": "ip: No such file or directory", "lines": ["a", "b"]})"))
                         .value();
  report.at = 1000;
  return report;
}

TEST(RunReportTest, AFailedRunIsToldWithItsStepAndItsLastWords) {
  EXPECT_EQ(
      last_known("web", 1010, failed(), 1020),
      "web last asked 10 s ago; its last run failed 20 s ago in 20-os-net-config (exit code 1, after 3 s): ip: No "
      "such file or directory");
}

TEST(RunReportTest, OfOneThatGoesOnItIsToldForHowLong) {
  RunReport report = read_run_report(Json::parse(R"({"state": "running", "seconds": 60, "step": "30-hangs"})")).value();
  report.at = 1000;
  EXPECT_EQ(last_known("web", 990, report, 1100),
            "web last asked 110 s ago; a run of its hooks goes on for 160 s, in 30-hangs");
}

TEST(RunReportTest, WithoutAReportTheLastPollIsTold) {
  EXPECT_EQ(last_known("web", 1000, std::nullopt, 1030), "web last asked 30 s ago");
  EXPECT_NE(last_known("web", 0, std::nullopt, 1030).find("has not asked for its metadata"), std::string::npos);
}

TEST(RunReportTest, ALongTextIsCutBetweenCharactersAndHasNoneThatTerminalsObey) {
  std::string why = "a";
  for (int i = 0; i < 400; ++i) why += "é";
  const std::optional<RunReport> report =
      read_run_report({{"state", "failed"}, {"why", why}, {"step", "a\u009b2Jb\x1b[2J\x7f"}});
  ASSERT_TRUE(report);
  EXPECT_NO_THROW((void)Json(report->why).dump()) << "else it is no text for whoever reads logs and events";
  EXPECT_GT(report->why.size(), 400U);
  EXPECT_EQ(report->step, "a 2Jb [2J ");
}

TEST(RunReportTest, AnAgentIsNotBelievedMoreThanItMustBe) {
  EXPECT_FALSE(read_run_report(Json::parse(R"({"state": "good"})")));
  EXPECT_FALSE(read_run_report(Json::parse("[1]")));
  EXPECT_FALSE(read_run_report(Json::parse(R"({"state": 1})")));
  Json json = {
      {"state", "failed"}, {"why", std::string(9999, 'x')}, {"step", "a\x1b[2Jb"}, {"seconds", -5}, {"status", "1"}};
  json["lines"] = Json::array();
  for (int i = 0; i < 99; ++i) json["lines"].push_back(i % 2 == 0 ? Json(std::string(9999, 'y')) : Json(i));
  const RunReport report = read_run_report(json).value();
  EXPECT_EQ(report.why.size(), 500U);
  EXPECT_EQ(report.step, "a [2Jb");
  EXPECT_EQ(report.seconds, 0);
  EXPECT_EQ(report.status, 0);
  EXPECT_EQ(report.lines.size(), 20U);
}

}  // namespace
}  // namespace hearth::metadata
