#include "base/sys/stop_signals.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/process.hpp"

namespace hearth {
namespace {

TEST(StopSignals, InterruptWhatWaitsAndAreForgottenWithIt) {
  {
    const StopSignals signals;
    EXPECT_NO_THROW(StopSignals::check());
    std::raise(SIGTERM);
    EXPECT_EQ(StopSignals::received(), SIGTERM);
    try {
      StopSignals::check();
      ADD_FAILURE() << "goes on";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 128 + SIGTERM);
    }
  }
  EXPECT_EQ(StopSignals::received(), 0);
}

TEST(StopSignals, EndAProgramWhoseOutputIsNotRead) {
  const SystemClock clock;
  const StopSignals signals;
  RealRunner runner(clock);
  Command command{
      .argv = {"sleep", "60"}, .out = Output::inherit, .err = Output::inherit, .on_tick = [ticks = 0]() mutable {
        if (++ticks == 2) std::raise(SIGTERM);
        StopSignals::check();
      }};
  command.deadline = Deadline::after(std::chrono::seconds(30), clock);
  EXPECT_THROW(static_cast<void>(runner.run(command)), Error);
  EXPECT_FALSE(command.deadline.passed(clock.now()));
}

}  // namespace
}  // namespace hearth
