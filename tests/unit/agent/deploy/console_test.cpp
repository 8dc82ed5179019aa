#include "agent/deploy/console.hpp"

#include <gtest/gtest.h>

#include "agent/deploy/image/inflate.hpp"

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

}  // namespace
}  // namespace hearth::agent::deploy
