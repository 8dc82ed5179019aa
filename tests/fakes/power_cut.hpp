// What a power cut leaves: of each file what it held when it was last synced, and nothing of what never was. fsync(2)
// and fdatasync(2) of the whole program, its libraries too, are replaced, so that no code has to know. To be included
// by one source of a program.
#pragma once

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/path.hpp"

namespace hearth::fakes {

/// Watches while it lives.
class PowerCut {
 public:
  PowerCut() {
    const std::lock_guard lock(mutex());
    current() = this;
  }
  PowerCut(const PowerCut&) = delete;
  PowerCut& operator=(const PowerCut&) = delete;
  ~PowerCut() {
    const std::lock_guard lock(mutex());
    current() = nullptr;
  }

  /// The files of `from` as they would be after a cut now, in `to`.
  void leave(const fs::path& from, const fs::path& to) {
    const std::lock_guard lock(mutex());
    for (const auto& entry : fs::directory_iterator(from)) {
      struct stat info {};
      if (!fs::is_regular_file(entry.path()) || ::stat(entry.path().c_str(), &info) != 0) continue;
      const auto found = synced_.find({info.st_dev, info.st_ino});
      if (found == synced_.end()) continue;
      const fs::path copy = to / entry.path().filename();
      std::ofstream(copy.string(), std::ios::binary) << found->second;
      ::chmod(copy.c_str(), info.st_mode & 07777U);
    }
  }

  static void synced(int fd) {
    const std::lock_guard lock(mutex());
    struct stat info {};
    if (current() == nullptr || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    std::ifstream file("/proc/self/fd/" + std::to_string(fd), std::ios::binary);
    file.read(text.data(), info.st_size);
    current()->synced_[{info.st_dev, info.st_ino}] = std::move(text);
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static PowerCut*& current() {
    static PowerCut* one = nullptr;
    return one;
  }
  std::map<std::pair<dev_t, ino_t>, std::string> synced_;
};

}  // namespace hearth::fakes

extern "C" int fsync(int fd) {
  const long code = ::syscall(SYS_fsync, fd);
  if (code == 0) hearth::fakes::PowerCut::synced(fd);
  return static_cast<int>(code);
}

extern "C" int fdatasync(int fd) {
  const long code = ::syscall(SYS_fdatasync, fd);
  if (code == 0) hearth::fakes::PowerCut::synced(fd);
  return static_cast<int>(code);
}
