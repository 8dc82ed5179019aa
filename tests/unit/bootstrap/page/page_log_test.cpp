#include "bootstrap/page/page_log.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::bootstrap {
namespace {

TEST(PageLog, passesEverythingOnAndKeepsWhatIsAboveDebugUntilItIsTaken) {
  fakes::MemoryLogger next;
  fakes::ManualClock clock;
  PageLog log(next, clock);
  log.debug("fine");
  log.warning("careful");
  EXPECT_TRUE(next.holds("fine"));
  EXPECT_TRUE(next.holds("careful"));
  const std::vector<LogLine> lines = log.take();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].text, "careful");
  EXPECT_EQ(lines[0].level, LogLevel::warning);
  EXPECT_TRUE(log.take().empty());
}

TEST(PageLog, whatNobodyTakesDoesNotGrow) {
  fakes::MemoryLogger next;
  fakes::ManualClock clock;
  PageLog log(next, clock);
  for (int i = 0; i < 1000; ++i) log.info(std::to_string(i));
  const std::vector<LogLine> lines = log.take();
  EXPECT_EQ(lines.size(), 500U);
  EXPECT_EQ(lines.back().text, "999");
}

}  // namespace
}  // namespace hearth::bootstrap
