#include "agent/heat_config/log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace hearth::agent {
namespace {

TEST(HeatLog, LinesHaveMillisecondsAndTheProgramsName) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_EQ(heat_log_line(WallTime(std::chrono::milliseconds(1767272584007)), "heat-config", LogLevel::warning, "x"),
            "[2026-01-01 13:03:04,007] (heat-config) [WARNING] x\n");
}

}  // namespace
}  // namespace hearth::agent
