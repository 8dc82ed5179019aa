#include "agent/refresh/command.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <ctime>

#include "agent/log/python_log.hpp"
#include "agent/refresh/phases.hpp"
#include "agent/refresh/process_tree.hpp"
#include "base/cli/command.hpp"
#include "base/error.hpp"
#include "base/run_parts.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_exit_locked = 11;
constexpr const char* k_usual_lock = "/var/run/os-refresh-config.lock";

const std::vector<cli::Option> k_options = {
    {"print-base", 0, "", "print the base directory and exit"},
    {"print-phases", 0, "", "print the phases, separated by tabs, and exit"},
    {"log-level", 0, "LEVEL", "ERROR, WARN, CRITICAL, INFO or DEBUG; default INFO"},
    {"lockfile", 0, "FILE", "the file that keeps two runs apart; default /var/run/os-refresh-config.lock"},
    {"timeout", 0, "SECONDS", "kill the run and all its children after this time"}};

/// Nothing for CRITICAL: we never log at that level.
std::optional<LogLevel> threshold_of(const std::string& name) {
  const std::map<std::string, std::optional<LogLevel>> levels = {{"ERROR", LogLevel::error},
                                                                 {"WARN", LogLevel::warning},
                                                                 {"CRITICAL", std::nullopt},
                                                                 {"INFO", LogLevel::info},
                                                                 {"DEBUG", LogLevel::debug}};
  const auto level = levels.find(name);
  if (level != levels.end()) return level->second;
  throw Error(ErrorKind::usage, cat("--log-level: '", name, "' is none of ERROR, WARN, CRITICAL, INFO, DEBUG"));
}

std::optional<Duration> timeout_of(const cli::Arguments& arguments) {
  const std::optional<std::string> text = arguments.value("timeout");
  if (!text) return std::nullopt;
  const std::optional<std::uint64_t> seconds = parse_number(*text);
  constexpr std::uint64_t k_year = 366ULL * 24 * 3600;
  if (!seconds || *seconds > k_year) {
    throw Error(ErrorKind::usage, cat("--timeout: '", *text, "' is no number of seconds"));
  }
  if (*seconds == 0) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

/// While it lives the lock file tells who holds it; the file itself stays, empty, for the next run.
class LockNote {
 public:
  LockNote(const Fd& fd, const std::string& path, WallTime now) : fd_(fd) {
    truncate();
    write_all(fd, cat("Locked by pid==", ::getpid(), " at ", log_time(now, '.'), "\n"), path);
  }
  LockNote(const LockNote&) = delete;
  LockNote& operator=(const LockNote&) = delete;
  ~LockNote() { truncate(); }

 private:
  void truncate() const {
    [[maybe_unused]] const int result = ::ftruncate(fd_.get(), 0);
    ::lseek(fd_.get(), 0, SEEK_SET);
  }
  const Fd& fd_;
};

std::optional<FileLock> acquire(const std::string& path, Logger& log) {
  try {
    std::optional<FileLock> lock = FileLock::try_acquire(path);
    if (!lock) log.error(cat("Could not lock ", path, ". [Errno 11] Resource temporarily unavailable"));
    return lock;
  } catch (const Error& error) {
    log.error(cat("Could not lock ", path, ". ", error.what()));
    throw Error(ErrorKind::io, error.what());
  }
}

/// A run empties the file at its end; one that was killed can't. Every phase runs anew then, as always.
void tell_of_lost_run(const std::string& path, Logger& log) {
  const std::string note(trim(RealFileSystem().read(path).value_or("")));
  if (note.compare(0, 9, "Locked by") == 0) {
    log.warning(cat("The last run did not come to its end (", note, "): all phases run again"));
  }
}

int refresh(const cli::Arguments& arguments, const BaseDirectory& base, const Environment& env) {
  const SystemClock clock;
  PythonLogger log(STDERR_FILENO, "os-refresh-config", threshold_of(arguments.value_or("log-level", "INFO")), clock);
  if (base.deprecated) log.warning(cat("DEPRECATED: ", base.path, " is the old place of the scripts"));
  const RefreshRequest request{base.path, timeout_of(arguments)};
  const std::string lock_path = arguments.value_or("lockfile", k_usual_lock);
  const std::optional<FileLock> lock = acquire(lock_path, log);
  if (!lock) return k_exit_locked;
  tell_of_lost_run(lock_path, log);
  const LockNote note(lock->fd(), lock_path, clock.wall());
  TreeRunner runner(clock);
  return run_phases(request, run_directory_with(runner, clock, env), RealFileSystem(), clock, log);
}

int run_refresh(const cli::Arguments& arguments) {
  if (!arguments.operands().empty()) {
    throw Error(ErrorKind::usage, cat("unrecognized arguments: ", join(arguments.operands(), " ")));
  }
  const Environment env = current_environment();
  const BaseDirectory base = base_directory(env, RealFileSystem());
  (void)threshold_of(arguments.value_or("log-level", "INFO"));
  if (arguments.has("print-base")) {
    std::printf("%s\n", base.path.c_str());
    return 0;
  }
  if (arguments.has("print-phases")) {
    std::printf("%s\n", join({k_node_phases.begin(), k_node_phases.end()}, "\t").c_str());
    return 0;
  }
  return refresh(arguments, base, env);
}

}  // namespace

cli::Command os_refresh_config_command() {
  return {.words = "os-refresh-config",
          .operands = "",
          .summary = "runs the phases pre-configure, configure, post-configure and migration",
          .details =
              "Scripts lie in BASE/PHASE.d. When one fails, those in BASE/error.d run and the rest\n"
              "does not. OS_REFRESH_CONFIG_BASE_DIR overrides BASE.",
          .options = k_options,
          .run = run_refresh};
}

int os_refresh_config_main(const std::vector<std::string>& words) {
  const cli::Command command = os_refresh_config_command();
  const cli::Program program{"os-refresh-config", command.summary, HEARTH_VERSION, {}};
  return cli::run_single(program, command, words);
}

}  // namespace hearth::agent
