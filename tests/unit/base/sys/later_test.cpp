#include "base/sys/later.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace hearth {
namespace {

using std::chrono::milliseconds;

TEST(Later, SaysItBehindTheMomentAndAgainBehindEachPauseUntilItIsOver) {
  std::atomic<int> said = 0;
  {
    const Later never(std::chrono::minutes(1),
                      [&]() -> std::optional<milliseconds> { return said += 100, milliseconds(1); });
    const Later thrice(milliseconds(1), [&]() -> std::optional<milliseconds> {
      return ++said < 3 ? std::optional(milliseconds(1)) : std::nullopt;
    });
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_EQ(said, 3);
}

TEST(Later, NoSignalInterruptsItsThread) {
  std::atomic<bool> is_blocked = false;
  {
    const Later now(milliseconds(1), [&]() -> std::optional<milliseconds> {
      sigset_t mine;
      ::pthread_sigmask(SIG_SETMASK, nullptr, &mine);
      is_blocked = ::sigismember(&mine, SIGTERM) == 1;
      return std::nullopt;
    });
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_TRUE(is_blocked);
}

}  // namespace
}  // namespace hearth
