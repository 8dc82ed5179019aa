#include "agent/python_log.hpp"

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

}  // namespace
}  // namespace hearth::agent
