// What the collecting daemon is doing, in a small file beside its backup (in /run by default: an idle poll does not
// wear a disk), for hearth-agent doctor and status. Times are of awake_seconds().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent {

struct DaemonState {
  enum class Doing {
    starting,
    polling,
    running,  ///< the command
    waiting,  ///< for the next poll
  };
  Doing doing = Doing::starting;
  std::int64_t since = 0;
  std::int64_t until = 0;  ///< of waiting
  std::string owner;       ///< process_identity() of the daemon
};

/// Whether a poll or a pause has lasted longer than any does. A command may take as long as it wants.
[[nodiscard]] bool hangs(const DaemonState& state, std::int64_t now);

/// "starting", "polling", "running", "waiting".
[[nodiscard]] std::string_view doing_name(DaemonState::Doing doing);

[[nodiscard]] fs::path daemon_state_file(const fs::path& backup);
/// Nothing when there is none, when it is damaged, or when the daemon that wrote it has gone.
[[nodiscard]] std::optional<DaemonState> read_daemon_state(const fs::path& backup, const FileReader& files);

/// The daemon's side. What can't be written is not: the state is a help, not a condition.
class DaemonStateFile {
 public:
  DaemonStateFile(const fs::path& backup, FileSystem& files, const Clock& clock, std::string owner)
      : path_(daemon_state_file(backup)), files_(files), clock_(clock), owner_(std::move(owner)) {}
  void tell(DaemonState::Doing doing, std::int64_t seconds = 0) noexcept;

 private:
  fs::path path_;
  FileSystem& files_;
  const Clock& clock_;
  std::string owner_;
};

/// Seconds that the machine has been awake since it started: a clock that is set does not change them, and while the
/// machine sleeps they stand still, as a daemon's pause does.
[[nodiscard]] std::int64_t awake_seconds(const Clock& clock);

}  // namespace hearth::agent
