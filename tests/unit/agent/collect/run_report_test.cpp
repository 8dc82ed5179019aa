#include "agent/collect/run_report.hpp"

#include <gmock/gmock.h>

#include "agent/collect/sources.hpp"
#include "base/net/url.hpp"
#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* k_refresh_log =
    "dib-run-parts Tue Nov 24 12:00:00 UTC 2026 Running /usr/libexec/os-refresh-config/configure.d/10-hosts\n"
    "dib-run-parts Tue Nov 24 12:00:00 UTC 2026 10-hosts completed\n"
    "dib-run-parts Tue Nov 24 12:00:00 UTC 2026 Running /usr/libexec/os-refresh-config/configure.d/20-os-net-config\n"
    "ip: No such file or directory\n"
    "[2026/11/24 12:00:01 PM] [ERROR] (os-refresh-config) during configure phase.\n\n";

RunReport ended(int status, const std::string& said) {
  return {.state = RunReport::State::ended, .status = status, .seconds = 3, .said = said};
}

TEST(RunReportText, TheStepThatDidNotEndIsNamedWithItsLastWords) {
  EXPECT_EQ(open_step(k_refresh_log), "20-os-net-config");
  const Json json = report_json(ended(1, k_refresh_log));
  EXPECT_EQ(json["state"], "failed");
  EXPECT_EQ(json["status"], 1);
  EXPECT_EQ(json["step"], "20-os-net-config");
  EXPECT_EQ(json["why"], "ip: No such file or directory");
  EXPECT_EQ(json["lines"].size(), 5U);
}

TEST(RunReportText, AScriptThatCanNotBeStartedIsTheReason) {
  const Json json = report_json(ended(
      1,
      "dib-run-parts Tue Nov 24 12:00:00 UTC 2026 Running /o/configure.d/30-facts\n"
      "dib-run-parts Tue Nov 24 12:00:00 UTC 2026 starting /o/configure.d/30-facts: No such file or directory\n"));
  EXPECT_EQ(json["step"], "30-facts");
  EXPECT_EQ(json["why"], "starting /o/configure.d/30-facts: No such file or directory");
}

TEST(RunReportText, WhatWentWellSaysNoMore) {
  EXPECT_EQ(report_json(ended(0, k_refresh_log)), Json::parse(R"({"state": "ok", "seconds": 3, "status": 0})"));
  EXPECT_EQ(open_step("dib-run-parts x Running /a/10-x\ndib-run-parts x 10-x completed\n"), "");
}

TEST(RunReportText, TwentyLinesAreKeptWithoutSecretsAndControlCharacters) {
  std::string said;
  for (int i = 0; i < 50; ++i) said += cat("line ", i, "\n");
  said += "mysql: password=geheim refused\nX-Auth-Token: abcdef\n\x1b[31mred\n" + std::string(2000, 'x') + "\n";
  const Json lines = report_json(ended(1, said))["lines"];
  EXPECT_EQ(lines.size(), 20U);
  EXPECT_EQ(lines[16], "mysql: password= ***");
  EXPECT_EQ(lines[17], "X-Auth-Token: ***");
  EXPECT_EQ(lines[18], "[31mred");
  EXPECT_LT(lines[19].get<std::string>().size(), 500U);
}

class RunReporterTest : public SourceFixture {
 protected:
  void send(const std::string& ini, int times = 1) {
    const Settings settings(parse_ini(ini, "test").value_or_throw(), {}, {});
    std::set<std::string> report_urls;
    const SourceContext context{settings, files_,  runner_,   http_, clock_,      log_,
                                once_,    tokens_, messages_, 0,     &report_urls};
    if (settings.text("request", "metadata_url")) (void)collect_request(context);
    http_.sent.clear();
    RunReporter reporter(context);
    for (int i = 0; i < times; ++i) reporter.send(ended(1, k_refresh_log));
  }
};

constexpr const char* k_report_url = "http://192.0.2.1:8000/v1/";
constexpr const char* k_report_ini =
    "[cfn]\nmetadata_url=http://192.0.2.1:8000/v1/\nstack_name=s\naccess_key_id=k\nsecret_access_key=geheim\n"
    "path=web.Metadata\n";

TEST_F(RunReporterTest, TheServerThatIsPolledIsToldWithTheSameKey) {
  http_.on("POST", k_report_url, 200);
  send(k_report_ini);
  ASSERT_EQ(http_.sent.size(), 1U);
  const HttpRequest& request = http_.sent[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_THAT(request.body, HasSubstr("Action=ReportRun"));
  EXPECT_THAT(request.body, HasSubstr("LogicalResourceId=web"));
  EXPECT_THAT(request.body, HasSubstr("Signature="));
  EXPECT_THAT(request.body, Not(HasSubstr("geheim")));
}

TEST_F(RunReporterTest, AServerThatDoesNotTakeReportsIsAskedOnce) {
  http_.on("POST", k_report_url, 400, "InvalidAction");
  send(k_report_ini, 3);
  EXPECT_EQ(http_.sent.size(), 1U);
}

TEST_F(RunReporterTest, OneThatIsDownIsAskedAgainAndNobodyFails) {
  send(k_report_ini, 2);
  EXPECT_EQ(http_.sent.size(), 2U);
}

TEST_F(RunReporterTest, WithoutItsSourceNothingIsSent) {
  send("[local]\npath=/x\n");
  EXPECT_EQ(http_.sent.size(), 0U);
}

constexpr const char* k_swift_url = "http://192.0.2.1/v1/a/c/o?temp_url_sig=x";
constexpr const char* k_swift_ini = "[request]\nmetadata_url=http://192.0.2.1/v1/a/c/o?temp_url_sig=x\n";

TEST_F(RunReporterTest, TheHolderOfATempUrlTellsAServerThatTakesIt) {
  http_.on("HEAD", k_swift_url, 200, "", {{"X-Hearth-Run-Reports", "POST"}});
  http_.on("GET", k_swift_url, 200, "{}");
  http_.on("POST", k_swift_url, 204);
  send(k_swift_ini, 2);
  ASSERT_EQ(http_.sent.size(), 2U);
  EXPECT_EQ(http_.sent[1].method, "POST");
  EXPECT_THAT(http_.sent[1].body, HasSubstr("20-os-net-config"));
}

/// It may be any web server's: a POST there might do something, and each further request is one that upstream's agent
/// does not send.
TEST_F(RunReporterTest, WhoeverDoesNotSayThatReportsAreTakenGetsNone) {
  http_.on("HEAD", k_swift_url, 200);
  http_.on("GET", k_swift_url, 200, "{}");
  send(k_swift_ini, 3);
  EXPECT_EQ(http_.sent.size(), 0U);
}

}  // namespace
}  // namespace hearth::agent
