#include "agent/log/python_log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "base/sys/fd.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::agent {
namespace {

TEST(PythonLogTest, LinesLookAsPythonsLoggingModuleWritesThem) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  fakes::ManualClock clock;
  clock.advance(std::chrono::milliseconds(7));
  Pipe pipe = Pipe::create();
  PythonLogger log(pipe.write.get(), "os-refresh-config", LogLevel::info, clock);
  log.debug("not shown");
  log.warning("text");
  pipe.write = Fd();
  EXPECT_EQ(read_all(pipe.read, "pipe"), "[1970-01-01 01:00:00,007] (os-refresh-config) [WARNING] text\n");
}

TEST(PythonLogTest, WithoutThresholdNothingIsWritten) {
  const fakes::ManualClock clock;
  Pipe pipe = Pipe::create();
  PythonLogger(pipe.write.get(), "x", std::nullopt, clock).error("text");
  pipe.write = Fd();
  EXPECT_EQ(read_all(pipe.read, "pipe"), "");
}

TEST(PythonLogTest, ALineIsTakenApart) {
  const std::optional<LogLine> line = parse_log_line("[2026-01-31 13:02:03,456] (heat-config) [WARNING] a] b");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->level, LogLevel::warning);
  EXPECT_EQ(line->text, "a] b");
  for (const char* other : {"", "[2026-01-31 13:02:03] (x) [INFO] t", "[2026-01-31 13:02:03,456] (x) [LOUD] t",
                            "[2026-01-31 13:02:03,456] (x", "plain text that is long enough to be one of them"}) {
    EXPECT_FALSE(parse_log_line(other)) << other;
  }
}

}  // namespace
}  // namespace hearth::agent
