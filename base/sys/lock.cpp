#include "base/sys/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include "base/error.hpp"

namespace hearth {

std::optional<FileLock> FileLock::try_acquire(const fs::path& path) {
  Fd fd = Fd::open(path.string(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(fd));
  if (errno == EWOULDBLOCK) return std::nullopt;
  throw Error::from_errno("locking", path.string());
}

FileLock FileLock::acquire(const fs::path& path) {
  Fd fd = Fd::open(path.string(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) throw Error::from_errno("locking", path.string());
  }
  return FileLock(std::move(fd));
}

}  // namespace hearth
