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

}  // namespace
}  // namespace hearth::bootstrap
