// Where a build works when it doesn't work in memory: a directory on disk that is removed whatever happens. A janitor
// process, outside the build, removes it when the build is gone, SIGKILL included; and what a killed janitor left is
// swept by the next build.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"

namespace hearth::builder {

class Workspace {
 public:
  /// A new directory "hearth-build.XXXXXX" below `parent`; sweeps those there whose build is gone.
  [[nodiscard]] static Workspace create(const fs::path& parent);
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&&) = delete;
  /// Lets the janitor remove the directory, and waits for it.
  ~Workspace();

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  Workspace(fs::path path, FileLock lock, Fd life_line, pid_t janitor)
      : path_(std::move(path)), lock_(std::move(lock)), life_line_(std::move(life_line)), janitor_(janitor) {}
  fs::path path_;
  FileLock lock_;
  Fd life_line_;  ///< the janitor starts when the last copy of this is closed
  pid_t janitor_;
};

/// In the sandbox: tells of a failure that where hooks and the builder work is full: whoever failed for that names a
/// place that only the sandbox has. `directory` is the workspace, empty where the build works in `memory` bytes.
Error& told_of_full_place(Error& error, const fs::path& directory, std::uint64_t memory);

}  // namespace hearth::builder
