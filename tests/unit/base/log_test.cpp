#include "base/log.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
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
  EXPECT_EQ(one_line("a\tb\nc\r\x1b[2J\x7f\xc2\x9b"), "a\tb\\nc\\r\\x1b[2J\\u007f\\u009b");
  const std::string text = "\xc3\x84 \xe2\x82\xac \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80";  // a joiner within
  EXPECT_EQ(one_line(text), text);
}

TEST(OneLine, WhatReordersOrHidesTextAndWhatIsNoTextIsVisible) {
  EXPECT_EQ(one_line("a\xe2\x80\xae\x62\xe2\x81\xa6\x63\xe2\x80\xa8"
                     "d\xef\xbb\xbf"),
            "a\\u202eb\\u2066c\\u2028d\\ufeff");
  EXPECT_EQ(one_line("\xf3\xa0\x81\x81"), "\\udb40\\udc41");
  EXPECT_EQ(one_line("\x9b"
                     "2J \xc2"),
            "\\x9b2J \\xc2");
}

TEST(ShownText, LinesStayLinesAndJsonStaysTheSame) {
  EXPECT_EQ(shown_text("a\tb\nc\r\x1b"), "a\tb\nc\\r\\x1b");
  const Json value = {{"name", "\x1b\xe2\x80\xae \xf3\xa0\x81\x81 \xc2\x9b \x7f"}};
  const std::string shown = shown_text(json_document(value));
  EXPECT_EQ(shown.find('\xe2'), std::string::npos);
  EXPECT_EQ(Json(parse_json(shown, "shown").value_or_throw()), value);
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
