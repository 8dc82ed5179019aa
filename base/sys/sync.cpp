#include "base/sys/sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

void sync_file(const fs::path& file) {
  const Fd fd = Fd::open(file.string(), O_RDONLY);
  if (::fsync(fd.get()) != 0) throw Error::from_errno("syncing", file.string());
}

void sync_directory(const fs::path& directory) {
  const Fd fd = Fd::open(directory.empty() ? "." : directory.string(), O_RDONLY | O_DIRECTORY);
  // Some file systems have nothing to sync of a directory.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) throw Error::from_errno("syncing", directory.string());
}

void sync_file_system(const fs::path& directory) {
  const Fd fd = Fd::open(directory.string(), O_RDONLY | O_DIRECTORY);
  if (::syncfs(fd.get()) != 0) throw Error::from_errno("syncing", directory.string());
}

}  // namespace hearth
