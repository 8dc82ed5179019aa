#include "agent/refresh/phases.hpp"

#include <csignal>
#include <cstring>

#include "agent/run_parts/run_parts.hpp"
#include "base/error.hpp"
#include "base/run_parts.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_usual_base = "/usr/libexec/os-refresh-config";
constexpr const char* k_old_base = "/opt/stack/os-config-refresh";

/// As Python's subprocess module tells it.
std::string phase_failure(const std::string& directory, const ExitStatus& status) {
  const std::string command = cat("Command '['dib-run-parts', '", directory, "']'");
  const auto* exited = std::get_if<Exited>(&status);
  if (exited != nullptr) return cat(command, " returned non-zero exit status ", exited->code, ".");
  const auto* signaled = std::get_if<Signaled>(&status);
  const int number = signaled != nullptr ? signaled->signal : SIGKILL;
  const char* name = ::sigabbrev_np(number);
  if (name == nullptr) return cat(command, " died with unknown signal ", number, ".");
  return cat(command, " died with <Signals.SIG", name, ": ", number, ">.");
}

void call_error_handlers(const RefreshRequest& request, const RunDirectory& run, const FileReader& files, Logger& log) {
  const std::string directory = cat(request.base, "/error.d");
  if (is_directory(files, directory)) {
    log.info("Calling error handlers.");
    (void)run(directory, Deadline::never());  // their result does not matter: the run has failed already
  }
  log.error("Aborting...");
}

std::string seconds_text(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count());
}

/// Whether the phase went well, or has no scripts.
bool run_phase(std::string_view phase, const RefreshRequest& request, const RunDirectory& run, const FileReader& files,
               const Deadline& deadline, Logger& log) {
  const std::string directory = cat(request.base, "/", phase, ".d");
  log.debug(cat("Checking ", directory));
  if (!is_directory(files, directory)) {
    log.debug(cat("No dir for phase ", phase));
    return true;
  }
  log.info(cat("Starting phase ", phase));
  log.debug(cat("Running ['dib-run-parts', '", directory, "']"));
  const ExitStatus status = run(directory, deadline);
  if (std::holds_alternative<TimedOut>(status)) {
    log.error(cat("Timeout reached: ", seconds_text(request.timeout.value_or(Duration())),
                  "s. Sending SIGKILL to all children"));
  }
  if (succeeded(status)) {
    log.info(cat("Completed phase ", phase));
    return true;
  }
  log.error(cat("during ", phase, " phase. [", phase_failure(directory, status), "]\n"));
  return false;
}

}  // namespace

RunDirectory run_directory_with(CommandRunner& runner, const Clock& clock, const Environment& env) {
  const bool installed = find_program("dib-run-parts", env).has_value();
  return [&runner, &clock, env, installed](const std::string& directory, const Deadline& deadline) -> ExitStatus {
    if (installed) {
      return runner
          .run({.argv = {"dib-run-parts", directory},
                .inherit_input = true,
                .out = Output::inherit,
                .err = Output::inherit,
                .deadline = deadline,
                .own_group = false})
          .status;
    }
    const auto pattern = env.find("RUN_PARTS_REGEX");
    const RunPartsRequest request{
        .directory = directory, .name_pattern = pattern == env.end() ? "" : pattern->second, .deadline = deadline};
    const int code = run_parts(request, runner, clock, say_on_stderr("dib-run-parts"));
    if (deadline.passed(clock.now())) return TimedOut{};
    return Exited{code};
  };
}

BaseDirectory base_directory(const Environment& env, const FileReader& files) {
  const auto chosen = env.find("OS_REFRESH_CONFIG_BASE_DIR");
  if (chosen != env.end()) return {chosen->second};
  const bool only_old = !is_directory(files, k_usual_base) && is_directory(files, k_old_base);
  return {only_old ? k_old_base : k_usual_base, only_old};
}

int run_phases(const RefreshRequest& request, const RunDirectory& run, const FileReader& files, const Clock& clock,
               Logger& log) {
  const Deadline deadline = request.timeout ? Deadline::after(*request.timeout, clock) : Deadline::never();
  for (const std::string_view phase : k_node_phases) {
    if (run_phase(phase, request, run, files, deadline, log)) continue;
    call_error_handlers(request, run, files, log);
    return 1;
  }
  return 0;
}

}  // namespace hearth::agent
