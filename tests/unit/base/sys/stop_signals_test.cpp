#include "base/sys/stop_signals.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <csignal>

namespace hearth {
namespace {

TEST(StopSignals, AreAFactWhileItLives) {
  struct sigaction after {};
  {
    const StopSignals signals;
    ASSERT_EQ(StopSignals::received(), 0);
    ::raise(SIGTERM);
    EXPECT_EQ(StopSignals::received(), SIGTERM);
  }
  ::sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(after.sa_handler, SIG_DFL);
}

}  // namespace
}  // namespace hearth
