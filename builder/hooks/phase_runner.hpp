// Running phases: sources environment.d, then runs the phase's steps one by one, host hooks in the sandbox, the others
// with the target as their root. Says what failed, with its last lines and where the log is; opens break shells.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/sys/process.hpp"
#include "builder/hooks/hook_environment.hpp"
#include "builder/hooks/step_observer.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/report/build_log.hpp"

namespace hearth::builder {

/// Performs the steps that are not scripts.
class NativeSteps {
 public:
  virtual ~NativeSteps() = default;
  /// Runs `step` with the environment that a hook would see there.
  virtual void run(const Step& step, const Environment& environment) = 0;
};

struct PhaseRunnerSetup {
  CommandRunner& runner;
  Progress& progress;
  BuildLog& log;
  const Clock& clock;
  Environment environment;                  ///< of host hooks, before environment.d
  std::vector<std::string> breaks;          ///< before-PHASE, after-PHASE, after-error
  fs::path hooks;                           ///< the merged hooks, on the host side
  fs::path target;                          ///< the root tree
  std::vector<std::string> elsewhere = {};  ///< labels of hooks that do not run in their phases
  StepObserver* observer = nullptr;
  /// Of the environment before environment.d, what a step is handed; `step` nothing: environment.d itself. Not set:
  /// all.
  std::function<Environment(Phase phase, const Step* step)> handed = {};
  /// What of environment.d's variables a step is not handed. Not set: nothing.
  std::function<std::set<std::string>(const Step& step)> withheld = {};
  fs::path start_directory = {};  ///< the caller's: files of elements below it are told from there
  bool has_terminal = true;       ///< standard input is one: a person types into break shells
};

class PhaseRunner {
 public:
  PhaseRunner(PhaseRunnerSetup setup, const BuildPlan& plan)
      : setup_(std::move(setup)), plan_(plan), first_environment_(setup_.environment) {}
  void set_native_steps(NativeSteps& native) { native_ = &native; }

  /// Goes on where an earlier build's results end; the steps before count as done.
  void resume_at(ResumePoint point) { resume_ = std::move(point); }
  void set_observer(StepObserver& observer) { setup_.observer = &observer; }
  /// Steps behind this one are not run, nor are phases behind its.
  void end_after(std::string label) { last_step_ = std::move(label); }
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  /// Runs one phase; a phase without steps does nothing. Throws Error(external) with the hook's exit code.
  void run(Phase phase);

  /// Adds or replaces variables for the phases to come.
  void set_variable(const std::string& name, std::string value) { setup_.environment[name] = std::move(value); }

  /// Runs a command of ours in the target or on the host, its output going to the log as a hook's does. Throws on
  /// failure.
  void run_logged(const std::string& what, Command command);

  /// The environment of a phase, with environment.d sourced at its place: for programs that the builder starts.
  [[nodiscard]] Environment environment_for(Phase phase) { return sourced(phase, input_environment(phase)); }
  /// The same as one of its hooks gets it.
  [[nodiscard]] Environment environment_for(const Step& step);

  /// Shows a step whose result was there already.
  void show_taken(const std::string& name);

  /// Does `work` as a named step of its own, with progress and timing.
  void native_step(const std::string& name, Phase phase, const std::function<void()>& work);

  [[nodiscard]] const std::vector<TimingRow>& timings() const { return timings_; }
  void count_steps(std::size_t total) { total_steps_ = total; }

 private:
  [[nodiscard]] Environment input_environment(Phase phase) const;
  [[nodiscard]] Environment handed_to(Phase phase, const Step* step) const;
  [[nodiscard]] Environment sourced(Phase phase, const Environment& env);
  [[nodiscard]] Environment with_own(Environment environment, const Step& step) const;
  [[nodiscard]] Environment environment_before(Phase phase, const std::vector<Step>& steps);
  [[nodiscard]] std::vector<Step> steps_of(Phase phase) const;
  void run_steps(Phase phase, const std::vector<Step>& steps, const Environment& environment);
  void run_step(const Step& step, const Environment& environment);
  void run_hook(const Step& step, const Environment& environment);
  void make_deferred_initramfs(const Environment& environment);
  void report_profile(Phase phase);
  [[nodiscard]] std::string callers_word(const char* name) const;  ///< a variable of theirs, empty where it is not set
  [[nodiscard]] bool wants_break(const std::string& point) const;
  void check_break(const std::string& point, Phase phase, const Environment& environment);
  void open_shell(const std::string& point, Phase phase, const Environment& environment);
  void explain_shell(const Step& step, const Error& error);
  void handle_line(std::string_view printed);
  [[noreturn]] void fail(const std::string& what, const ExitStatus& status);

  PhaseRunnerSetup setup_;
  const BuildPlan& plan_;
  const Environment first_environment_;  ///< before variables were set
  NativeSteps* native_ = nullptr;
  std::optional<ResumePoint> resume_;
  std::string last_step_;  ///< empty = all are run
  bool has_ended_ = false;
  std::deque<std::string> last_lines_;
  std::vector<TimingRow> timings_;
  std::optional<MonotonicTime> first_began_;
  std::size_t steps_begun_ = 0;
  std::size_t total_steps_ = 0;
};

}  // namespace hearth::builder
