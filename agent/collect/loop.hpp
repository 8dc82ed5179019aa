// When rounds happen: once, or for ever with growing pauses; and when the program must start itself anew.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/collect/daemon_state.hpp"
#include "agent/collect/round.hpp"
#include "base/clock.hpp"

namespace hearth::agent {

enum class Wake {
  elapsed,
  reload,  ///< SIGHUP
};

/// The part of the world that a loop waits for.
class Pause {
 public:
  virtual ~Pause() = default;
  virtual Wake wait(Duration duration) = 0;
};

/// Waits with SIGHUP blocked but for the wait itself, so that none is lost and none interrupts a round.
class SignalPause final : public Pause {
 public:
  SignalPause();
  Wake wait(Duration duration) override;
};

/// What a loop does, as the settings say.
struct LoopPlan {
  std::vector<std::string> sources;
  std::string command;
  fs::path backup;
  bool one_time = false;
  bool force = false;
  bool reset_on_change = true;            ///< start again with the shortest pause after a change was applied
  double min_pause = 1;                   ///< seconds
  double max_pause = 30;                  ///< seconds
  std::vector<std::string> config_files;  ///< a change of theirs, made by the command, ends the loop with a restart
};

/// What it does it with.
struct LoopWorld {
  const SourceContext& context;
  Cache& cache;
  Pause& pause;
  std::function<void()> between_polls;  ///< called before each pause; must not throw
  /// Told at each step what is being done, and for how many seconds a pause will last; must not throw.
  std::function<void(DaemonState::Doing, std::int64_t)> tell = [](DaemonState::Doing, std::int64_t) {};
  /// Runs the command: `apply` does it, by a shell that stands behind the given words, and returns its status. Whoever
  /// reports runs does so around it.
  std::function<int(const std::function<int(const std::vector<std::string>& before)>& apply)> around_run =
      [](const auto& apply) { return apply({}); };
  /// Told when a round could not be kept, with the reason; must not throw.
  std::function<void(const std::string& why)> round_failed = [](const std::string&) {};
};

struct LoopEnd {
  bool restart = false;  ///< the program is to execute itself again
  int status = 0;        ///< else its exit status: that of the last command that failed
};

[[nodiscard]] LoopPlan plan_loop(const Settings& settings, std::vector<std::string> config_files);
[[nodiscard]] LoopEnd run_loop(const LoopPlan& plan, const LoopWorld& world);

}  // namespace hearth::agent
