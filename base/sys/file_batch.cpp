#include "base/sys/file_batch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"

namespace hearth {

namespace {

/// A file with everything but its name.
AtomicFile prepared(const FileToWrite& wanted) {
  const std::string path = wanted.path.string();
  const FileAttributes& attributes = wanted.attributes;
  AtomicFile file = AtomicFile::create(wanted.path, attributes.mode);
  write_all(file.fd(), wanted.data, path);
  const auto keep = static_cast<uid_t>(-1);
  const bool owned = attributes.uid || attributes.gid;
  if (owned && ::fchown(file.fd().get(), attributes.uid.value_or(keep), attributes.gid.value_or(keep)) != 0) {
    throw Error::from_errno("changing the owner of", path);
  }
  if (::fchmod(file.fd().get(), attributes.mode) != 0) throw Error::from_errno("changing the mode of", path);
  return file;
}

}  // namespace

/// The kernel is told to write all of it before the first sync waits: a journal then commits once for all, and the
/// other syncs, commit()'s too, find their work done.
void write_together(const std::vector<FileToWrite>& files) {
  std::vector<AtomicFile> batch;
  batch.reserve(files.size());
  for (const FileToWrite& file : files) batch.push_back(prepared(file));
  for (const AtomicFile& file : batch) ::sync_file_range(file.fd().get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (::fsync(batch[i].fd().get()) != 0) throw Error::from_errno("syncing", files[i].path.string());
  }
  for (AtomicFile& file : batch) file.commit();
}

}  // namespace hearth
