#include "bootstrap/rehearse/rehearsal.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(ReportLines, areWhatTheAgentSaysOnTheConsole) {
  const std::vector<std::string> lines = report_lines(
      "Linux version 6\r\n[   12.3] x\nsite-report: node1: a.notify.json\r\nsite-report:   {\"x\": 1}\r\nlogin: \n");
  EXPECT_EQ(lines, (std::vector<std::string>{"node1: a.notify.json", "{\"x\": 1}"}));
  EXPECT_TRUE(report_lines("").empty());
}

TEST(ReportLines, areWaitedForUntilTheLastResultIsWhole) {
  const std::string first = "site-report: node1: configured\r\n";
  const std::string result = "site-report: node1: a.notify.json\r\nsite-report:   {\"x\": {}}\r\n";
  EXPECT_FALSE(has_whole_report(first)) << "a run without deployments";
  EXPECT_FALSE(has_whole_report(first + "site-report: node1: a.notify.json\r\nsite-report:   {\"x\": {},\r\n"));
  EXPECT_FALSE(has_whole_report(first + result)) << "another deployment's may come behind it";
  EXPECT_FALSE(has_whole_report(first + result + first + "site-report: node1: b.notify.json\r\n"));
  EXPECT_TRUE(has_whole_report(first + result + first));
}

TEST(ReportLines, aSystemHasComeUpWhenItAsksForALogin) {
  EXPECT_TRUE(asks_for_login("GRUB\r\n\r\nDebian GNU/Linux 12 web1 ttyS0\r\n\r\nweb1 login: "));
  EXPECT_FALSE(asks_for_login("web1 login: \r\n*** rehearsal: power off\r\n"));
  EXPECT_FALSE(asks_for_login(""));
}

}  // namespace
}  // namespace hearth::bootstrap
