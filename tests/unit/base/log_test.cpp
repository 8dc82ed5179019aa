#include "base/log.hpp"

#include <gtest/gtest.h>

#include "base/sys/fd.hpp"

namespace hearth {
namespace {

class FdLoggerTest : public testing::Test {
 protected:
  Pipe pipe_ = Pipe::create();
  std::string written() {
    pipe_.write = Fd();
    return read_all(pipe_.read, "the pipe");
  }
};

TEST(OneLine, ControlsAreVisibleAndTextIsAsItWas) {
  EXPECT_EQ(one_line("a\tb\nc\r\x1b[2J\x7f\xc2\x9b"), "a\tb\\nc\\r\\x1b[2J\\x7f\\xc29b");
  const std::string text = "\xc3\x84 \xe2\x82\xac \xc2";
  EXPECT_EQ(one_line(text), text);
}

TEST(PlainLines, LinesStayAndNothingElseMovesTheCursor) {
  EXPECT_EQ(plain_lines("status 404 \x1b[2J\rnone\n  a hint\n"), "status 404 \\x1b[2J\\rnone\n  a hint\n");
}

TEST_F(FdLoggerTest, WritesALineARecordFromItsThresholdUp) {
  FdLogger logger(pipe_.write.get());
  logger.debug("hidden");
  logger.info("one");
  logger.warning("two");
  logger.error("three");
  EXPECT_EQ(written(), "INFO one\nWARNING two\nERROR three\n");
}

TEST_F(FdLoggerTest, ShowsDebugWhenAsked) {
  FdLogger(pipe_.write.get(), LogLevel::debug).debug("shown");
  EXPECT_EQ(written(), "DEBUG shown\n");
}

TEST_F(FdLoggerTest, TextFromOutsideCannotForgeARecord) {
  FdLogger(pipe_.write.get()).info("bad name 'x\r\nERROR all is lost'");
  EXPECT_EQ(written(), "INFO bad name 'x\\r\\nERROR all is lost'\n");
}

TEST(FdLogger, AClosedDescriptorIsNoError) { FdLogger(-1).error("nobody hears this"); }

}  // namespace
}  // namespace hearth
