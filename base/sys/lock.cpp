#include "base/sys/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"

namespace hearth {

std::optional<FileLock> FileLock::try_acquire(const fs::path& path, std::chrono::milliseconds patience) {
  static constexpr std::chrono::milliseconds k_between = std::chrono::milliseconds(10);
  Fd fd = Fd::open(path.string(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) throw Error::from_errno("locking", path.string());
    if (patience <= std::chrono::milliseconds{}) return std::nullopt;
    const std::chrono::milliseconds pause = std::min(patience, k_between);
    std::this_thread::sleep_for(pause);
    patience -= pause;
  }
  return FileLock(std::move(fd));
}

FileLock FileLock::acquire(const fs::path& path) {
  Fd fd = Fd::open(path.string(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) throw Error::from_errno("locking", path.string());
  }
  return FileLock(std::move(fd));
}

}  // namespace hearth
