// FileLock: an exclusive flock(2) on a file that stays. The lock goes with the process, however it ends.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

class FileLock {
 public:
  /// Nothing when another process holds it, for as long as `patience` says. The file is created if missing; only
  /// whoever holds it may remove it (FirstStart does). A link is not followed. A directory can be locked, too.
  [[nodiscard]] static std::optional<FileLock> try_acquire(const fs::path& path,
                                                           std::chrono::milliseconds patience = {});
  /// Waits for it.
  [[nodiscard]] static FileLock acquire(const fs::path& path);
  /// Who holds it, for people: "process 4711 (hearth)"; "another process" where that can't be seen.
  [[nodiscard]] static std::string holder(const fs::path& path);
  [[nodiscard]] const Fd& fd() const { return fd_; }

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace hearth
