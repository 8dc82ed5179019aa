// Programs that end with us.
#pragma once

#include "base/sys/process.hpp"
#include "base/sys/stop_signals.hpp"

namespace hearth {

/// Runs programs and lets StopSignals end them; whoever has large files in a TempDir runs what fills it by this.
class StoppableRunner final : public CommandRunner {
 public:
  explicit StoppableRunner(const Clock& clock) : runner_(clock) {}
  [[nodiscard]] CommandResult run(const Command& command) override {
    Command stoppable = command;
    stoppable.on_tick = &StopSignals::check;
    return runner_.run(stoppable);
  }

 private:
  StopSignals signals_;
  RealRunner runner_;
};

}  // namespace hearth
