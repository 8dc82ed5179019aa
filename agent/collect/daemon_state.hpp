// What the collecting daemon is doing, in a small file beside its backup (in /run by default: an idle poll does not
// wear a disk), for hearth-agent doctor and status. Times are seconds since the machine started, which no clock that is
// set changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
  DaemonStateFile(const fs::path& backup, FileSystem& files, std::string owner)
      : path_(daemon_state_file(backup)), files_(files), owner_(std::move(owner)) {}
  void tell(DaemonState::Doing doing, std::int64_t seconds = 0) noexcept;

 private:
  fs::path path_;
  FileSystem& files_;
  std::string owner_;
};

/// Seconds since the machine started (proc(5), uptime); 0 when that is not known.
[[nodiscard]] std::int64_t uptime(const FileReader& files);

}  // namespace hearth::agent
