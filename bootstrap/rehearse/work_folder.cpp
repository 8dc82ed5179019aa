#include "bootstrap/rehearse/work_folder.hpp"

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/client/rehearsals.hpp"

namespace hearth::bootstrap {

FileLock taken_work_folder(const fs::path& folder) {
  const fs::path sign = folder / k_rehearsal_lock;
  if (fs::exists(folder) && !fs::is_empty(folder) && !fs::exists(sign)) {
    throw Error(ErrorKind::input, cat(folder.string(), " is not empty, and no rehearsal's"))
        .hint("give another --output");
  }
  RealFileSystem().make_directories(folder, 0700);
  std::optional<FileLock> lock = FileLock::try_acquire(sign);
  if (!lock) {
    throw Error(ErrorKind::io, cat("a rehearsal runs in ", folder.string()))
        .hint("give another --output, or wait for its end");
  }
  for (const std::string& name : RealFileSystem().list(folder)) {
    if (folder / name != sign) fs::remove_all(folder / name);
  }
  return std::move(*lock);
}

}  // namespace hearth::bootstrap
