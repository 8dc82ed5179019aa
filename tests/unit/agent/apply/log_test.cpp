#include "agent/apply/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "base/sys/file.hpp"

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

TEST(ApplyLog, ItsFileIsMadeByTheFirstLine) {
  const TempDir directory = TempDir::create("/tmp", "apply-log-");
  const std::string file = (directory.path() / "log").string();
  SystemClock clock;
  ApplyLogger log(clock, file);
  EXPECT_FALSE(RealFileSystem().status(file)) << "who only asks for help leaves nothing";
  log.info("one");
  log.info("two");
  const std::string text = read_file(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

}  // namespace
}  // namespace hearth::agent
