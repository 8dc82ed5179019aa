#include "builder/layers/difference.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {

namespace {

std::optional<struct stat> look(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  throw Error::from_errno("reading", path.string());
}

/// Of directories: but for what is in them.
bool is_same(const fs::path& a, const struct stat& one, const fs::path& b, const struct stat& other) {
  if (one.st_mode != other.st_mode || one.st_uid != other.st_uid || one.st_gid != other.st_gid) return false;
  if (S_ISREG(one.st_mode)) return one.st_size == other.st_size && read_file(a) == read_file(b);
  if (S_ISLNK(one.st_mode)) return fs::read_symlink(a) == fs::read_symlink(b);
  return one.st_rdev == other.st_rdev;
}

void mark_removed(const fs::path& path) {
  if (::mknod(path.c_str(), S_IFCHR, 0) != 0) throw Error::from_errno("noting the removal of", path.string());
}

void take_away(const fs::path& path, bool is_directory) {
  if ((is_directory ? ::rmdir(path.c_str()) : ::unlink(path.c_str())) == 0) return;
  if (!is_directory || errno != ENOTEMPTY) throw Error::from_errno("removing", path.string());
}

}  // namespace

void leave_difference(const fs::path& base, const fs::path& tree) {
  for (const std::string& name : RealFileSystem().list(base)) {
    const fs::path old = base / name;
    const fs::path now = tree / name;
    const std::optional<struct stat> was = look(old);
    const std::optional<struct stat> is = look(now);
    if (!was) continue;
    if (!is) {
      mark_removed(now);
      continue;
    }
    const bool directories = S_ISDIR(was->st_mode) && S_ISDIR(is->st_mode);
    if (directories) leave_difference(old, now);
    if (is_same(old, *was, now, *is)) take_away(now, directories);
  }
}

}  // namespace hearth::builder
