#include "agent/cfn/log.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::agent {
namespace {

TEST(CfnLogTest, RecordsAreAppendedToTheFile) {
  const TempDir directory = TempDir::create("/tmp", "hearth-cfn-log-");
  const std::string file = (directory.path() / "x.log").string();
  const fakes::ManualClock clock;
  CfnLogger(file, LogLevel::info, LogLevel::error, clock).info("one");
  CfnLogger log(file, LogLevel::info, LogLevel::error, clock);
  log.debug("not shown");
  log.warning("two");
  const std::string text = read_file(file);
  EXPECT_EQ(text.substr(0, 6), "INFO [");
  EXPECT_NE(text.find(",000] one\nWARNING ["), std::string::npos);
  EXPECT_NE(text.find("] two\n"), std::string::npos);
  EXPECT_EQ(text.find("not shown"), std::string::npos);
}

}  // namespace
}  // namespace hearth::agent
