// The machine as a build of root's sees it: ids in the sandbox are a range of sub-ids and none of the machine's, so
// that nothing there is root for the kernel, and what belongs to root is shown as the sandbox root's through mounts
// that shift ids. Not so in /etc and /var, where services keep what only root may read, nor in /run and /dev: there
// only what the build needs is shifted. An ordinary user's ids are his own and his sub-ids, and nothing is shifted.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/namespace.hpp"

namespace hearth::builder {

/// Whether `path` lies where only what a build needs is shifted.
[[nodiscard]] bool keeps_machines_ids(const fs::path& path);

/// Whom a directory belongs to ("user 70000") that the sandbox's root may not write to, since that is none of its ids;
/// empty where it may.
[[nodiscard]] std::string owner_outside(const fs::path& directory, const IdMaps& maps);

class ShiftedHost {
 public:
  /// `needed` are paths without links that hooks and builder use, wherever they lie; missing ones don't matter. Where
  /// one of them can't be shifted, nothing is.
  [[nodiscard]] static ShiftedHost create(const std::vector<fs::path>& needed);
  /// For the sandbox's process: root's are the machine's where nothing is shifted.
  [[nodiscard]] const IdMaps& maps() const { return maps_; }
  /// Why root's ids are the machine's, for the user; empty where they are not.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// Of root's builds, whether hooks see nobody as the owner of what belongs to an id of the machine's at `path`, a
  /// path without links: what lies in / itself is not shifted, either.
  [[nodiscard]] bool shows_nobody(const fs::path& path) const;
  /// Puts the shifted mounts over their places, and lets go of their descriptors (one for each mount of the machine);
  /// to be called once, as process 1 of the sandbox.
  void attach();

 private:
  struct Mount {
    fs::path place;
    Fd mount;
    bool is_shifted = false;
  };
  explicit ShiftedHost(IdMaps maps) : maps_(std::move(maps)) {}
  void shift_all_below(const fs::path& top, const std::string& mountinfo, const Fd& user_namespace);
  [[nodiscard]] bool is_shifted(const fs::path& path) const;

  IdMaps maps_;
  std::string why_not_;
  std::vector<Mount> mounts_;  ///< parents first
  Fd devices_;                 ///< a tmpfs with those that only root may open
};

}  // namespace hearth::builder
