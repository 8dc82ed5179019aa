#include "base/sys/file_batch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/error.hpp"
#include "base/sys/sync.hpp"

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

/// Few enough for the usual limit of open files.
constexpr std::size_t k_open_at_once = 256;

/// Prepares and syncs some of them. The kernel is told to write all of it before the first sync waits: a journal then
/// commits once for all, and the other syncs find their work done.
void prepare(std::span<const FileToWrite> files, std::vector<AtomicFile>& batch) {
  const std::size_t first = batch.size();
  for (const FileToWrite& file : files) batch.push_back(prepared(file));
  const std::span<const AtomicFile> made = std::span(batch).subspan(first);
  for (const AtomicFile& file : made) ::sync_file_range(file.fd().get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  for (const AtomicFile& file : made) file.sync();
}

}  // namespace

void write_together(const std::vector<FileToWrite>& files) {
  std::vector<AtomicFile> batch;
  batch.reserve(files.size());
  for (std::span<const FileToWrite> rest(files); !rest.empty();) {
    const std::size_t size = std::min(rest.size(), k_open_at_once);
    const std::size_t first = batch.size();
    prepare(rest.first(size), batch);
    rest = rest.subspan(size);
    if (files.size() <= k_open_at_once) continue;
    for (AtomicFile& file : std::span(batch).subspan(first)) file.park();
  }
  for (AtomicFile& file : batch) file.prepare_name();
  std::set<fs::path> directories;
  for (std::size_t i = 0; i < files.size(); ++i) {
    batch[i].take_name();
    directories.insert(files[i].path.parent_path());
  }
  for (const fs::path& directory : directories) sync_directory(directory);
}

}  // namespace hearth
