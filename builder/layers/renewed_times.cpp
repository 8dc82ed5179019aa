#include "builder/layers/renewed_times.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {

namespace {

constexpr std::int64_t k_nanoseconds_of_second = 1'000'000'000;
constexpr int k_most_waits = 20;  // of a millisecond: the kernel's clock for files ticks each 1 to 10
constexpr timespec k_wait = {0, 1'000'000};

std::int64_t modified(const struct stat& status) {
  return status.st_mtim.tv_sec * k_nanoseconds_of_second + status.st_mtim.tv_nsec;
}

std::int64_t write_time_now(const AtomicFile& file, const fs::path& directory) {
  const std::array<timespec, 2> now = {timespec{0, UTIME_OMIT}, timespec{0, UTIME_NOW}};
  struct stat status {};
  if (::futimens(file.fd().get(), now.data()) != 0 || ::fstat(file.fd().get(), &status) != 0)
    throw Error::from_errno("asking for the time of files in", directory.string());
  return modified(status);
}

void renew(const fs::path& path, const std::vector<WriteTimes>& written) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw Error::from_errno("reading", path.string());
  const std::int64_t time = modified(status);
  if (std::none_of(written.begin(), written.end(),
                   [&](const WriteTimes& times) { return times.began <= time && time <= times.ended; }))
    return;
  const std::array<timespec, 2> now = {timespec{0, UTIME_OMIT}, timespec{0, UTIME_NOW}};
  if (::utimensat(AT_FDCWD, path.c_str(), now.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw Error::from_errno("setting the time of", path.string());
  }
}

}  // namespace

std::int64_t new_write_time(const fs::path& directory) {
  const AtomicFile file = AtomicFile::create(directory / "time");  // it never gets its name
  const std::int64_t before = write_time_now(file, directory);
  std::int64_t time = before;
  for (int waits = 0; time == before && waits < k_most_waits; ++waits) {
    ::nanosleep(&k_wait, nullptr);
    time = write_time_now(file, directory);
  }
  return time;  // as before where the file system counts whole seconds
}

std::int64_t latest_write_time(const fs::path& directory) {
  return write_time_now(AtomicFile::create(directory / "time"), directory);
}

void renew_times(const fs::path& root, const std::vector<WriteTimes>& written) {
  renew(root, written);
  fs::recursive_directory_iterator at(root);
  for (const fs::recursive_directory_iterator end; at != end; ++at) renew(at->path(), written);
}

}  // namespace hearth::builder
