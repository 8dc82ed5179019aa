#include "builder/hooks/phase_runner.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/run_parts.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/hooks/hook_places.hpp"
#include "builder/hooks/program_start.hpp"
#include "builder/report/hook_advice.hpp"
#include "builder/sandbox/sandbox.hpp"
#include "builder/target/lent_apt.hpp"
#include "builder/target/stragglers.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_tail_lines = 20;
constexpr std::size_t k_profile_name = 40;  // widths of dib-run-parts' table
constexpr std::size_t k_profile_seconds = 11;
constexpr const char* k_target_hooks = "/tmp/in_target.d";
constexpr const char* k_sourcing = "Sourcing environment file ";
constexpr const char* k_break_after_error = "after-error";

std::string step_name(const Step& step) {
  return cat(step.label(), " (", step.element.empty() ? "put there by an earlier hook" : cat("element ", step.element),
             ")");
}

bool in_target(Phase phase) { return info(phase).place == Place::target; }

/// Read from the merged directory, not from the plan: hooks may add files to it while the build runs.
std::vector<std::string> environment_files(const fs::path& hooks) {
  std::vector<std::string> names;
  for (const std::string& name : RealFileSystem().list(hooks / "environment.d")) {
    if (is_environment_file_name(name)) names.push_back(name);  // list() sorts bytewise, as upstream does here
  }
  return names;
}

bool is_hook(const FileStatus& status) {
  return status.type == FileStatus::Type::regular && (status.mode & 0111U) != 0;
}

/// Upstream's dib-run-parts looks when a phase begins: what earlier hooks put there (install-types does) runs too, and
/// what they took away does not.
std::map<std::string, Step> hooks_now(const std::vector<Step>& planned, Phase phase, const fs::path& directory) {
  std::map<std::string, Step> found;
  std::set<std::string> unknown;  // links that lead nowhere here, but may in the target
  const RealFileSystem files;
  for (const std::string& name : files.list(directory)) {
    const std::optional<FileStatus> status = files.status(directory / name);
    if (!status) unknown.insert(name);
    if (status && is_hook(*status) && is_run_parts_name(name)) found[name] = {phase, Step::Kind::hook, name, ""};
  }
  for (const Step& step : planned) {
    if (step.kind == Step::Kind::hook && (found.count(step.name) > 0 || unknown.count(step.name) > 0)) {
      found[step.name] = step;
    }
  }
  return found;
}

std::vector<Step> steps_now(const std::vector<Step>& planned, Phase phase, const fs::path& hooks) {
  std::map<std::string, Step> by_name = hooks_now(planned, phase, hooks / directory_name(phase));
  std::vector<Step> steps;
  std::vector<Step> last;
  for (const Step& step : planned) {
    if (step.kind == Step::Kind::extra_packages) {
      last.push_back(step);
    } else if (step.kind != Step::Kind::hook) {
      by_name[step.name] = step;
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, step] : by_name) names.push_back(name);
  sort_run_parts(names);
  for (const std::string& name : names) steps.push_back(by_name.at(name));
  steps.insert(steps.end(), last.begin(), last.end());
  return steps;
}

}  // namespace

void PhaseRunner::handle_line(std::string_view printed) {
  const std::string line = setup_.log.fit_to_show(printed);
  last_lines_.push_back(line);
  if (last_lines_.size() > k_tail_lines) last_lines_.pop_front();
  setup_.log.line(line);
  setup_.progress.line(line);
}

void PhaseRunner::run_logged(const std::string& what, Command command) {
  last_lines_.clear();
  command.merge_err = true;
  command.on_line = [this](Stream, std::string_view line) { handle_line(line); };
  command.on_tick = [this] { setup_.progress.tick(); };
  const CommandResult result = run_program(setup_.runner, command, what);
  if (!succeeded(result.status)) fail(what, result.status);
}

void PhaseRunner::fail(const std::string& what, const ExitStatus& status) {
  std::string message = cat(what, " failed: ", describe(status));
  const std::vector<std::string> merged = {k_target_hooks, setup_.hooks.string()};
  for (std::size_t i = 0; i < last_lines_.size(); ++i) {
    const bool is_followed = i + 1 < last_lines_.size() && last_lines_[i].starts_with(k_sourcing);
    if (is_followed && last_lines_[i + 1].starts_with(k_sourcing)) continue;  // it went well
    message += cat("\n  | ", with_elements_places(last_lines_[i], plan_.hooks, merged, setup_.start_directory));
  }
  Error error(ErrorKind::external, message, shell_code(status));
  std::string advice;
  if (!setup_.log.main_file().empty()) advice = cat("The whole log: ", setup_.log.main_file(), "\n  ");
  if (last_lines_.empty()) advice += "It printed nothing; -x traces the commands that hooks run.\n  ";
  const std::string refused = advice_on_refusal({last_lines_.begin(), last_lines_.end()});
  if (!refused.empty()) advice += cat(refused, "\n  ");
  if (!wants_break(k_break_after_error)) advice += "--break after-error opens a shell where it failed.";
  throw error.hint(std::string(trim(advice)));
}

Environment PhaseRunner::input_environment(Phase phase) const {
  return phase_environment(setup_.environment, phase, setup_.target);
}

/// What variables that were set since have changed is the builder's, and everybody's: also PATH in the target, say.
Environment PhaseRunner::handed_to(Phase phase, const Step* step) const {
  if (!setup_.handed) return input_environment(phase);
  Environment handed = setup_.handed(phase, step);
  const Environment first = phase_environment(first_environment_, phase, setup_.target);
  for (const auto& [name, value] : input_environment(phase)) {
    const auto before = first.find(name);
    if (before == first.end() || before->second != value) handed[name] = value;
  }
  return handed;
}

/// What environment.d says wins over what only the step is handed, or is not handed.
Environment PhaseRunner::with_own(Environment environment, const Step& step) const {
  const Environment common = handed_to(step.phase, nullptr);
  const Environment own = handed_to(step.phase, &step);
  const auto is_untouched = [&](const std::string& name) {
    const auto before = common.find(name);
    const auto now = environment.find(name);
    return before == common.end() ? now == environment.end()
                                  : now != environment.end() && before->second == now->second;
  };
  for (const auto& [name, value] : own) {
    if (is_untouched(name)) environment[name] = value;
  }
  for (const auto& [name, value] : common) {
    if (own.count(name) == 0 && is_untouched(name)) environment.erase(name);
  }
  for (const std::string& name : setup_.withheld ? setup_.withheld(step) : std::set<std::string>()) {
    if (environment.erase(name) > 0)
      setup_.log.line(cat("hearth: ", step.label(), " is not handed ", name, ", which none of its scripts names"));
  }
  return environment;
}

Environment PhaseRunner::environment_for(const Step& step) {
  return with_own(sourced(step.phase, handed_to(step.phase, nullptr)), step);
}

Environment PhaseRunner::sourced(Phase phase, const Environment& env) {
  const std::vector<std::string> files = environment_files(setup_.hooks);
  if (files.empty()) return env;
  const std::string hooks = in_target(phase) ? k_target_hooks : setup_.hooks.string();
  Command command{.argv = environment_script(hooks, files), .env = env};
  if (in_target(phase)) command.root = setup_.target;
  const std::string what = cat("environment.d of ", directory_name(phase));
  const CommandResult result = run_program(setup_.runner, command, what);
  last_lines_.clear();
  for (const std::string& line : split_lines(result.err)) handle_line(line);
  if (!succeeded(result.status)) fail(what, result.status);
  Environment after = parse_environment(result.out);
  after.erase("_");  // bash's own
  return after;
}

/// The first program that runs in a phase is the shell that sources environment.d; it runs for the first step.
Environment PhaseRunner::environment_before(Phase phase, const std::vector<Step>& steps) {
  try {
    return sourced(phase, handed_to(phase, nullptr));
  } catch (Error& error) {
    if (!steps.empty()) error.during(cat("preparing ", step_name(steps.front())));
    throw;
  }
}

std::vector<Step> PhaseRunner::steps_of(Phase phase) const {
  if (resume_ && phase < resume_->phase) return {};
  if (resume_ && phase == resume_->phase) return resume_->rest;
  std::vector<Step> steps;
  std::copy_if(plan_.steps.begin(), plan_.steps.end(), std::back_inserter(steps),
               [phase](const Step& step) { return step.phase == phase; });
  steps = steps_now(steps, phase, setup_.hooks);
  std::erase_if(steps, [this](const Step& step) {
    return std::find(setup_.elsewhere.begin(), setup_.elsewhere.end(), step.label()) != setup_.elsewhere.end();
  });
  return steps;
}

void PhaseRunner::run(Phase phase) {
  if (has_ended_) return;
  const std::vector<Step> steps = steps_of(phase);
  const std::string name(info(phase).name);
  if (steps.empty() && !wants_break(cat("before-", name)) && !wants_break(cat("after-", name))) return;
  if (setup_.observer != nullptr) setup_.observer->phase_begins(phase);
  std::optional<TargetHooks> hooks;
  if (in_target(phase)) hooks.emplace(setup_.target, setup_.hooks);
  const Environment environment = environment_before(phase, steps);
  check_break(cat("before-", name), phase, environment);
  hooks.reset();
  run_steps(phase, steps, environment);
  report_profile(phase);
  if (in_target(phase)) hooks.emplace(setup_.target, setup_.hooks);
  check_break(cat("after-", name), phase, environment);
}

void PhaseRunner::run_steps(Phase phase, const std::vector<Step>& steps, const Environment& environment) {
  std::optional<TargetHooks> hooks;
  for (std::size_t i = 0; i < steps.size() && !has_ended_; ++i) {
    if (in_target(phase) && !hooks) hooks.emplace(setup_.target, setup_.hooks);
    const MonotonicTime begin = setup_.clock.now();
    run_step(steps[i], with_own(environment, steps[i]));
    has_ended_ = steps[i].label() == last_step_;
    if (setup_.observer == nullptr) continue;
    const std::vector<Step> rest(steps.begin() + static_cast<std::ptrdiff_t>(i + 1), steps.end());
    if (!setup_.observer->step_ended(steps[i], setup_.clock.now() - begin, rest)) continue;
    hooks.reset();
    setup_.observer->keep(rest);
  }
}

void PhaseRunner::run_step(const Step& step, const Environment& environment) {
  if (setup_.observer != nullptr) setup_.observer->step_begins(step);
  try {
    native_step(step.label(), step.phase, [&] {
      if (step.kind == Step::Kind::hook) {
        run_hook(step, environment);
      } else {
        native_->run(step, environment);
      }
      if (in_target(step.phase)) make_deferred_initramfs(environment);
    });
  } catch (const Error& error) {
    if (wants_break(k_break_after_error)) explain_shell(step, error);
    check_break(k_break_after_error, step.phase, environment);
    throw;
  }
}

void PhaseRunner::show_taken(const std::string& name) {
  has_ended_ = has_ended_ || name == last_step_;
  ++steps_begun_;
  setup_.progress.step_begin(name, steps_begun_, std::max(total_steps_, steps_begun_));
  setup_.progress.step_end(StepOutcome::cached, {});
}

/// The table that dib-run-parts prints when a directory is done, for those who read logs by it.
void PhaseRunner::report_profile(Phase phase) {
  const auto say = [this](const std::string& text) { setup_.log.line(cat("dib-run-parts ", text)); };
  const auto row = [&](std::string name, const std::string& seconds) {
    name.resize(std::max(name.size(), k_profile_name), ' ');
    say(cat(name, std::string(k_profile_seconds - std::min(seconds.size(), k_profile_seconds), ' '), seconds));
  };
  const std::string prefix = directory_name(phase) + "/";
  say("----------------------- PROFILING -----------------------");
  say("");
  say(cat("Target: ", directory_name(phase)));
  say("");
  row("Script", "Seconds");
  row(std::string(k_profile_name - 1, '-'), std::string(k_profile_seconds - 1, '-'));
  say("");
  for (const TimingRow& timing : timings_) {
    if (timing.phase != static_cast<int>(phase) || timing.name.compare(0, prefix.size(), prefix) != 0) continue;
    row(timing.name.substr(prefix.size()), fixed(std::chrono::duration<double>(timing.duration).count(), 3));
  }
  say("");
  say("--------------------- END PROFILING ---------------------");
}

void PhaseRunner::native_step(const std::string& name, Phase phase, const std::function<void()>& work) {
  ++steps_begun_;
  setup_.progress.step_begin(name, steps_begun_, std::max(total_steps_, steps_begun_));
  setup_.log.line(cat("hearth: running ", name));
  const MonotonicTime begin = setup_.clock.now();
  const auto end = [&](StepOutcome outcome) {
    const Duration took = setup_.clock.now() - begin;
    setup_.progress.step_end(outcome, took);
    setup_.log.line(
        cat("hearth: ", name, outcome == StepOutcome::done ? " completed in " : " failed after ", elapsed_text(took)));
    if (!first_began_) first_began_ = begin;
    timings_.push_back({name, took, static_cast<int>(phase), begin - *first_began_});
  };
  try {
    work();
  } catch (...) {
    end(StepOutcome::failed);
    throw;
  }
  end(StepOutcome::done);
}

void PhaseRunner::run_hook(const Step& step, const Environment& environment) {
  Command command{.env = environment};
  if (in_target(step.phase)) {
    command.argv = {cat(k_target_hooks, "/", step.label())};
    command.root = setup_.target;
  } else {
    command.argv = {(setup_.hooks / step.label()).string()};
  }
  run_logged(step_name(step), std::move(command));
  for (const std::string& left : kill_stragglers()) {
    setup_.progress.note(cat(step.label(), " left '", left, "' running; it was killed"));
    setup_.log.line(cat("hearth: ", step.label(), " left '", left, "' running; it was killed"));
  }
}

void PhaseRunner::make_deferred_initramfs(const Environment& environment) {
  for (const std::string& version : deferred_initramfs(setup_.target, setup_.hooks)) {
    Command command{.argv = {"update-initramfs", "-c", "-k", version}, .env = environment, .root = setup_.target};
    run_logged(cat("making the initramfs of ", version), std::move(command));
  }
}

void PhaseRunner::check_break(const std::string& point, Phase phase, const Environment& environment) {
  if (wants_break(point)) open_shell(point, phase, environment);
}

bool PhaseRunner::wants_break(const std::string& point) const {
  return std::find(setup_.breaks.begin(), setup_.breaks.end(), point) != setup_.breaks.end();
}

std::string PhaseRunner::callers_word(const char* name) const {
  const auto found = setup_.environment.find(name);
  return found == setup_.environment.end() ? std::string() : found->second;
}

/// What failed comes before the shell, which is opened because of it.
void PhaseRunner::explain_shell(const Step& step, const Error& error) {
  const bool is_inside = in_target(step.phase) && callers_word("break_outside_target").empty();
  const fs::path hooks = is_inside ? fs::path(k_target_hooks) : setup_.hooks;
  std::string text = cat(error.what(), "\n");
  if (step.kind == Step::Kind::hook && (is_inside || !in_target(step.phase)))
    text += cat("In the shell ", (hooks / step.label()).string(), " runs the hook again, with its variables.\n");
  cli::tell(cat(text, "However it ends there, the build fails when you leave the shell; what you mend is not kept.\n"));
}

void PhaseRunner::open_shell(const std::string& point, Phase phase, const Environment& environment) {
  const bool own_command = point.compare(0, 6, "after-") != 0 || point == k_break_after_error;
  const std::string shell = own_command && !callers_word("break_cmd").empty() ? callers_word("break_cmd") : "bash";
  const bool outside = point == k_break_after_error && !callers_word("break_outside_target").empty();
  cli::tell(cat("Starting debug shell. Exit to resume building.\nAt stage ", point, "\n"));
  if (!setup_.has_terminal)
    cli::tell("Standard input is no terminal: the shell takes its commands from there, and ends where they end.\n");
  Environment all = environment;
  Environment callers = input_environment(phase);
  if (const auto terminal = callers.find("TERM"); terminal != callers.end()) all["TERM"] = terminal->second;
  all.merge(callers);  // who looks around sees what the hooks were not handed, too
  Command command{.argv = {"/bin/bash", "-c", shell},
                  .env = std::move(all),
                  .inherit_input = true,
                  .out = hearth::Output::inherit,
                  .err = hearth::Output::inherit,
                  .own_group = false};
  if (in_target(phase) && !outside) command.root = setup_.target;
  (void)setup_.runner.run(command);
  cli::tell("Resuming\n");
}

}  // namespace hearth::builder
