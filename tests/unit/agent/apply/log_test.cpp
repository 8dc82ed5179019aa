#include "agent/apply/log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace hearth::agent {
namespace {

TEST(ApplyLog, LinesHaveATwelveHourClock) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_EQ(apply_log_line(WallTime(std::chrono::seconds(1767229384)), LogLevel::info, "writing a"),
            "[2026/01/01 01:03:04 AM] [INFO] writing a\n");
  EXPECT_EQ(apply_log_line(WallTime(std::chrono::seconds(1767272584)), LogLevel::error, "x"),
            "[2026/01/01 01:03:04 PM] [ERROR] x\n");
}

}  // namespace
}  // namespace hearth::agent
