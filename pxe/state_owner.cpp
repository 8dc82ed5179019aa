#include "pxe/state_owner.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <memory>

#include "base/error.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

constexpr int k_most_levels = 64;
constexpr uid_t k_first_dynamic = 61184;
constexpr uid_t k_last_dynamic = 65519;

using Status = struct statx;

/// `entry` is open (O_PATH); false ends the walk.
using Visit = std::function<bool(const Fd& entry, const Status& status, const std::string& path)>;

Status status_of(const Fd& entry, const std::string& path) {
  Status status{};
  if (::statx(entry.get(), "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_MNT_ID, &status) != 0)
    throw Error::from_errno("looking at", path);
  return status;
}

bool same_mount(const Status& a, const Status& b) {
  return a.stx_mnt_id == b.stx_mnt_id && a.stx_dev_major == b.stx_dev_major && a.stx_dev_minor == b.stx_dev_minor;
}

/// Contents before their directory, so that a walk that was cut short is done again as a whole.
bool walk(const Fd& entry, const std::string& path, const Status& top, int level, const Visit& visit) {
  const Status status = status_of(entry, path);
  if (!S_ISDIR(status.stx_mode) || !same_mount(status, top)) return visit(entry, status, path);
  if (level == k_most_levels) throw Error(ErrorKind::input, cat(path, " lies too deep for a state directory"));
  Fd listed = open_beneath(entry, ".", O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(listed.get()), ::closedir);
  if (!stream) throw Error::from_errno("listing", path);
  (void)listed.release();
  while (const dirent* row = ::readdir(stream.get())) {
    const std::string name = row->d_name;
    if (name == "." || name == "..") continue;
    const std::string inner = cat(path, "/", name);
    const Fd found = open_beneath(entry, name, O_PATH | O_NOFOLLOW);
    if (!walk(found, inner, top, level + 1, visit)) return false;
  }
  return visit(entry, status, path);
}

}  // namespace

StateTree::StateTree(const std::string& directory)
    : path_(directory),
      directory_(Fd::open(directory, O_PATH | O_DIRECTORY)),
      owner_(status_of(directory_, directory).stx_uid) {}

bool StateTree::is_ours(uid_t owner, uid_t user) const {
  return owner == 0 || owner == user || owner == owner_ || (owner >= k_first_dynamic && owner <= k_last_dynamic);
}

std::string StateTree::of_others(uid_t user) const {
  const Status top = status_of(directory_, path_);
  std::string other;
  walk(directory_, path_, top, 0, [&](const Fd&, const Status& status, const std::string& path) {
    if (same_mount(status, top) && !is_ours(status.stx_uid, user)) other = path;
    return other.empty();
  });
  return other;
}

void StateTree::give(uid_t user, gid_t group, Logger& log) const {
  const Status top = status_of(directory_, path_);
  walk(directory_, path_, top, 0, [&](const Fd& entry, const Status& status, const std::string& path) {
    if (status.stx_uid == user && status.stx_gid == group) return true;
    std::string why;
    if (!same_mount(status, top)) {
      why = "another mount's";
    } else if (!is_ours(status.stx_uid, user)) {
      why = cat("of user ", status.stx_uid);
    } else if (!S_ISDIR(status.stx_mode) && status.stx_nlink > 1) {
      why = "also another name's (a hard link)";
    } else if (::fchownat(entry.get(), "", user, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) {
      throw Error::from_errno(cat("giving to user ", user), path);
    }
    if (!why.empty()) log.warning(cat(path, " is ", why, ": it is not given to who serves"));
    return true;
  });
}

}  // namespace hearth::pxe
