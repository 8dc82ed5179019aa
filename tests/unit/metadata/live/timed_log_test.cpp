#include "metadata/live/timed_log.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::metadata::live {
namespace {

TEST(TimedLogger, SaysWhen) {
  fakes::MemoryLogger inner;
  const fakes::ManualClock clock;
  TimedLogger(inner, clock).warning("text");
  EXPECT_EQ(inner.all(), "WARNING 1970-01-01T01:00:00Z text");
}

}  // namespace
}  // namespace hearth::metadata::live
