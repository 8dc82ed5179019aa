// Giving a state directory, with what is in it, to the user who serves it.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/log.hpp"
#include "base/sys/fd.hpp"

namespace hearth::pxe {

/// All is looked at and changed by descriptors: what somebody puts in an entry's place meanwhile is not followed, nor
/// are links, nor mounts below the directory (the directory itself may be named by a link).
class StateTree {
 public:
  explicit StateTree(const std::string& directory);

  /// The first entry that belongs to neither root, `user`, who has the directory, nor an id that nobody has for long
  /// (systemd's dynamic ones, as by an earlier start); empty where there is none.
  [[nodiscard]] std::string of_others(uid_t user) const;
  /// All but what is of_others(), has another name by a hard link (it may be anybody's file), or is another mount's;
  /// `log` is told of these. Throws Error.
  void give(uid_t user, gid_t group, Logger& log) const;
  [[nodiscard]] uid_t owner() const { return owner_; }

 private:
  [[nodiscard]] bool is_ours(uid_t owner, uid_t user) const;

  std::string path_;
  Fd directory_;
  uid_t owner_ = 0;
};

}  // namespace hearth::pxe
