#include "builder/layers/renewed_times.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "base/error.hpp"

namespace hearth::builder {

namespace {

void renew(const fs::path& path, std::int64_t since) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw Error::from_errno("reading", path.string());
  if (status.st_mtim.tv_sec < since) return;
  const std::array<timespec, 2> now = {timespec{0, UTIME_OMIT}, timespec{0, UTIME_NOW}};
  if (::utimensat(AT_FDCWD, path.c_str(), now.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw Error::from_errno("setting the time of", path.string());
  }
}

}  // namespace

void renew_times(const fs::path& root, std::int64_t since) {
  renew(root, since);
  fs::recursive_directory_iterator at(root);
  for (const fs::recursive_directory_iterator end; at != end; ++at) renew(at->path(), since);
}

}  // namespace hearth::builder
