#include "agent/deploy/ground/console.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "agent/deploy/disk/inflate.hpp"
#include "base/sys/fd.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::agent::deploy {
namespace {

TEST(Console, LogsArePackedAsATarThatGzipReads) {
  const std::string line = "the disk is written\n";
  std::string text;
  for (int i = 0; i < 1000; ++i) text += line;
  const std::string packed = tar_gz({{"agent.log", text}, {"dmesg", "kernel\n"}});
  EXPECT_LT(packed.size(), text.size() / 10);

  std::string tar(30'000, '\0');
  StreamInflater inflater(StreamInflater::Kind::gzip);
  std::string_view rest = packed;
  tar.resize(inflater.inflate(rest, tar));
  EXPECT_TRUE(inflater.complete());
  EXPECT_EQ(tar.size() % 512, 0U);
  EXPECT_EQ(tar.substr(0, 9), "agent.log");
  EXPECT_EQ(tar.substr(512, text.size()), text);
  EXPECT_NE(tar.find("kernel\n"), std::string::npos);
}

TEST(Console, WhatAServerAnswersDoesNotCommandTheTerminal) {
  const Fd nowhere = Fd::open("/dev/null", O_WRONLY);
  const fakes::ManualClock clock;
  Console console(clock, nowhere.get());
  console.say("404 \x1b[2Jbad\r\nthe \xc3\xa4\t");
  EXPECT_EQ(console.log(), "[0.0] 404 \\x1b[2Jbad\\r the \xc3\xa4\t\n");
}

}  // namespace
}  // namespace hearth::agent::deploy
