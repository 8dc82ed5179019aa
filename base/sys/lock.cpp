#include "base/sys/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {

static Fd lockable(const fs::path& path) {
  if (fs::is_directory(path)) return Fd::open(path.string(), O_RDONLY | O_DIRECTORY);
  return Fd::open(path.string(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
}

/// Whoever waited may have got what its holder has removed meanwhile, which keeps nobody out.
static bool is_removed(const Fd& fd) {
  struct stat info {};
  return ::fstat(fd.get(), &info) == 0 && info.st_nlink == 0;
}

std::optional<FileLock> FileLock::try_acquire(const fs::path& path, std::chrono::milliseconds patience) {
  static constexpr std::chrono::milliseconds k_between = std::chrono::milliseconds(10);
  Fd fd = lockable(path);
  while (true) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      if (!is_removed(fd)) return FileLock(std::move(fd));
      fd = lockable(path);
      continue;
    }
    if (errno != EWOULDBLOCK) throw Error::from_errno("locking", path.string());
    if (patience <= std::chrono::milliseconds{}) return std::nullopt;
    const std::chrono::milliseconds pause = std::min(patience, k_between);
    std::this_thread::sleep_for(pause);
    patience -= pause;
  }
}

FileLock FileLock::acquire(const fs::path& path) {
  while (true) {
    Fd fd = lockable(path);
    while (::flock(fd.get(), LOCK_EX) != 0) {
      if (errno != EINTR) throw Error::from_errno("locking", path.string());
    }
    if (!is_removed(fd)) return FileLock(std::move(fd));
  }
}

/// Lines of /proc/locks: "1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF".
std::string FileLock::holder(const fs::path& path) {
  struct stat info {};
  const RealFileSystem files;
  if (::stat(path.c_str(), &info) != 0) return "another process";
  const std::string inode = cat(":", info.st_ino);
  for (const std::string& line : split_lines(files.read("/proc/locks").value_or(""))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() < 6 || words[1] != "FLOCK" || !words[5].ends_with(inode)) continue;
    const std::string name(trim(files.read(cat("/proc/", words[4], "/comm")).value_or("")));
    if (!name.empty()) return cat("process ", words[4], " (", name, ")");
  }
  return "another process";
}

}  // namespace hearth
