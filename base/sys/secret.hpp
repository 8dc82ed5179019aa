// A secret read from a file, such as a signing key. Children of this process don't inherit it: the kernel gives a fork
// zeros in its place (MADV_WIPEONFORK), so that whoever can read a child's memory, as hooks of a build can, finds
// nothing. Nor do core dumps have it (MADV_DONTDUMP).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/path.hpp"

namespace hearth {

class Secret {
 public:
  /// The whole file, of 64 KiB at most. Throws Error.
  [[nodiscard]] static Secret read(const fs::path& file);
  /// Of 64 KiB at most; `text` is overwritten and empty then.
  [[nodiscard]] static Secret take(std::string& text);
  /// Zeros in a child of the process that read it.
  [[nodiscard]] std::string_view text() const;

 private:
  struct Pages;
  explicit Secret(std::shared_ptr<const Pages> pages) : pages_(std::move(pages)) {}
  std::shared_ptr<const Pages> pages_;
};

/// Overwrites it, and empties it.
void wipe(std::string& text);

/// From now on this process leaves no core dump, and only root can look into its memory, as a debugger does. So do
/// copies of it (fork), but not programs that it starts. Most of its files in /proc are root's then: who is not root
/// can no longer write them, such as oom_score_adj, nor those of its copies that make user namespaces.
void forbid_dumps();

}  // namespace hearth
