#include "agent/collect/collect_log.hpp"

#include <gmock/gmock.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::agent {
namespace {

LogOptions options_of(const std::string& config) {
  return log_options(Settings(parse_ini(cat("[DEFAULT]\n", config), "t").value_or_throw(), {}, {}));
}

class CollectLogTest : public testing::Test {
 protected:
  CollectLogTest() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
  std::string path(const std::string& name) const { return (dir_.path() / name).string(); }
  TempDir dir_ = TempDir::create("/tmp", "collect-log-test-");
  fakes::ManualClock clock_;
};

TEST_F(CollectLogTest, ARecordHasDateProcessAndLevel) {
  EXPECT_EQ(format_record({}, LogLevel::warning, "text", clock_.wall(), 42),
            "1970-01-01 01:00:00.000 42 WARNING os-collect-config [-] text");
}

TEST_F(CollectLogTest, AFormatOfPythonsLoggingIsFilledIn) {
  const LogOptions options{
      .format = "%(asctime)s.%(msecs)03d %(process)d %(levelname)-8s|%(name)s|%(nope)s|100%% %(message)s",
      .python_dates = true};
  EXPECT_EQ(format_record(options, LogLevel::warning, "text", clock_.wall(), 42),
            "1970-01-01 01:00:00,000.000 42 WARNING|os-collect-config||100% text");
}

TEST_F(CollectLogTest, AJsonRecordIsAnObject) {
  const Json record =
      parse_json(format_record({.as_json = true}, LogLevel::info, "a \"b\"", clock_.wall(), 1), "r").value_or_throw();
  EXPECT_EQ(record.at("message"), "a \"b\"");
  EXPECT_EQ(record.at("levelname"), "INFO");
}

TEST_F(CollectLogTest, TheLogFileMayLieInTheLogDirectory) {
  EXPECT_EQ(options_of("log_file=x.log\nlog_dir=/d\n").file, "/d/x.log");
  EXPECT_EQ(options_of("log_file=/y/x.log\nlog_dir=/d\n").file, "/y/x.log");
  EXPECT_EQ(options_of("log_dir=/d\n").file, "/d/os-collect-config.log");
  EXPECT_FALSE(options_of("log_dir=/d\n").to_stderr);
  EXPECT_TRUE(options_of("log_dir=/d\nuse_stderr=1\n").to_stderr);
  EXPECT_TRUE(options_of("").to_stderr);
}

TEST_F(CollectLogTest, DebugLinesNeedTheDebugOption) {
  CollectLog({.file = path("log"), .to_stderr = false}, clock_).debug("x");
  EXPECT_EQ(read_file(path("log")), "");
  CollectLog({.threshold = LogLevel::debug, .file = path("log"), .to_stderr = false}, clock_).debug("x");
  EXPECT_THAT(read_file(path("log")), testing::HasSubstr("DEBUG os-collect-config [-] x\n"));
}

TEST_F(CollectLogTest, AWatchedFileThatWasMovedIsMadeAnew) {
  CollectLog log({.file = path("log"), .watch_file = true, .to_stderr = false}, clock_);
  log.info("one");
  fs::rename(path("log"), path("log.1"));
  log.info("two");
  EXPECT_THAT(read_file(path("log")), testing::HasSubstr("two"));
  EXPECT_THAT(read_file(path("log.1")), testing::Not(testing::HasSubstr("two")));
}

TEST_F(CollectLogTest, AFileThatCannotBeOpenedLeavesStderr) {
  testing::internal::CaptureStderr();
  CollectLog({.file = "/dev/null/nonexistent/log", .to_stderr = false}, clock_).info("still told");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("still told"));
}

}  // namespace
}  // namespace hearth::agent
