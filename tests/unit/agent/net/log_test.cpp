#include "agent/net/log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hearth::agent::net {
namespace {

TEST(NetLog, LinesAreThoseOfTheField) {
  ::setenv("TZ", "UTC", 1);
  const WallTime when{std::chrono::milliseconds(1700000000123)};
  EXPECT_EQ(net_log_line(when, LogLevel::warning, "text"), "2023-11-14 22:13:20.123 WARNING os_net_config.main text\n");
}

}  // namespace
}  // namespace hearth::agent::net
