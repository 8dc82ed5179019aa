// Running programs: argv only, never a shell string; an explicit environment; stdin is /dev/null unless said otherwise;
// no other descriptor is inherited; an own process group that is killed on deadline or destruction; "could not start"
// is told apart from "failed".
//
// CommandRunner is the seam (tests/fakes/scripted_runner.hpp is the fake); RealRunner the one that forks.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

/// This process's environment.
[[nodiscard]] Environment current_environment();

/// SOURCE_DATE_EPOCH, in seconds; nullopt where it is not set or no number.
[[nodiscard]] std::optional<std::int64_t> source_date_epoch(const Environment& environment);
/// The time that what is made now is said to be of: SOURCE_DATE_EPOCH, else the clock's.
[[nodiscard]] std::int64_t creation_time(const Environment& environment);
/// Reads NUL-separated NAME=value entries, as `env -0` prints them; entries without "=" are left out.
[[nodiscard]] Environment parse_environment(std::string_view text);

struct Exited {
  int code = 0;
  bool operator==(const Exited&) const = default;
};
struct Signaled {
  int signal = 0;
  bool operator==(const Signaled&) const = default;
};
struct TimedOut {
  bool operator==(const TimedOut&) const = default;
};
using ExitStatus = std::variant<Exited, Signaled, TimedOut>;

[[nodiscard]] inline bool succeeded(const ExitStatus& status) { return status == ExitStatus(Exited{0}); }
/// "exit code 7", "killed by SIGKILL", "stopped at its deadline".
[[nodiscard]] std::string describe(const ExitStatus& status);
/// The status as a shell gives it: the code, 128 + signal, 124 for the deadline.
[[nodiscard]] int shell_code(const ExitStatus& status);

enum class Output {
  capture,  ///< collected into CommandResult
  inherit,  ///< goes where this process's goes
  discard,
};

/// Which of the two streams a line came from.
enum class Stream { out, err };

struct Command {
  std::vector<std::string> argv;     ///< argv[0] is looked up in PATH of `env`
  std::optional<Environment> env;    ///< nothing = inherit
  fs::path cwd;                      ///< empty = stay; inside `root` when that is set
  fs::path root;                     ///< non-empty = chroot there first (needs CAP_SYS_CHROOT, as inside the sandbox)
  std::optional<std::string> input;  ///< fed to stdin; nothing = /dev/null
  bool inherit_input = false;        ///< stdin stays this process's (for interactive shells)
  Output out = Output::capture;
  Output err = Output::capture;
  bool merge_err = false;  ///< stderr goes into the same pipe as stdout, in order
  /// When set, captured output is handed over line by line (without newline) instead of being collected. A line of more
  /// than 64 KiB comes in pieces of that size.
  std::function<void(Stream, std::string_view)> on_line;
  bool collect_lines = false;  ///< with on_line: collected besides
  /// When set, the collected text of each stream is its end of about this many bytes: a flood can't fill the memory.
  std::optional<std::size_t> keep_last;
  /// When set, called at least five times a second while the program runs and output is captured (for live progress).
  std::function<void()> on_tick;
  Deadline deadline = Deadline::never();
  bool own_group = true;     ///< false keeps the terminal's foreground group (for interactive shells)
  bool outlives_us = false;  ///< it goes on when this process is killed; else it is killed with it
  bool confined = false;     ///< see SpawnOptions
};

struct CommandResult {
  ExitStatus status;
  std::string out;
  std::string err;
};

class CommandRunner {
 public:
  virtual ~CommandRunner() = default;
  /// Throws Error(external) when the program can't be started at all; any exit is a result.
  [[nodiscard]] virtual CommandResult run(const Command& command) = 0;
};

class RealRunner final : public CommandRunner {
 public:
  explicit RealRunner(const Clock& clock) : clock_(clock) {}
  [[nodiscard]] CommandResult run(const Command& command) override;

 private:
  const Clock& clock_;
};

/// A command that failed, for a person: argv, status and the last lines of stderr (of stdout where that has none).
[[nodiscard]] std::string describe_failure(const Command& command, const CommandResult& result);

/// Runs and throws Error(external) unless it exits with 0, with describe_failure(). Returns stdout.
std::string run_checked(CommandRunner& runner, const Command& command);

/// Full path of a program in the PATH of `env`; nothing when there is none.
[[nodiscard]] std::optional<fs::path> find_program(const std::string& name, const Environment& env);

/// Forks a process that runs `body` and exits with its result; it outlives its starter. `body` must not rely on other
/// threads. Returns its pid, which the caller reaps.
[[nodiscard]] pid_t start_companion(const std::function<int()>& body);

/// How a child is to be started: the low floor under RealRunner, for long-living children (QEMU, a pipeline stage).
struct SpawnOptions {
  std::vector<std::string> argv;
  std::optional<Environment> env;
  fs::path cwd;
  fs::path root;
  int in = -1;     ///< descriptor for stdin; -1 = /dev/null
  int out = -1;    ///< -1 = inherit
  int err = -1;    ///< -1 = inherit
  int extra = -1;  ///< a further descriptor, which the child gets as number 3; all others are closed in it
  bool own_group = true;
  bool outlives_us = false;
  /// For programs that are not ours, in `root`, as root: they see neither the network nor other processes (their
  /// namespaces end with the program, which is process 1 of them), and `root`/proc, mounted anew, holds no kernel
  /// command line. They can't load modules, trace, reach memory or the kernel's log, or restart the machine. Disks and
  /// mounts they can, so it is no prison.
  bool confined = false;
};

/// A running child. Destroying it kills its whole process group and reaps it.
class Child {
 public:
  /// Throws Error(external) naming the program when exec fails.
  [[nodiscard]] static Child spawn(const SpawnOptions& options);
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), own_group_(other.own_group_) {}
  Child& operator=(Child&&) = delete;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Waits until it ends or the deadline passes; at the deadline nothing is returned and it goes on running.
  [[nodiscard]] std::optional<ExitStatus> wait(const Deadline& deadline, const Clock& clock);
  void signal(int number) const;
  /// SIGKILL to the group, then reaps.
  ExitStatus kill_and_wait();

 private:
  Child(pid_t pid, bool own_group) : pid_(pid), own_group_(own_group) {}
  pid_t pid_ = -1;
  bool own_group_ = true;
};

}  // namespace hearth
