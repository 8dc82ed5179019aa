#include "builder/packing/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/error.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"
#include "builder/packing/checksums.hpp"
#include "builder/packing/pipe_stage.hpp"

namespace hearth::builder {

std::vector<std::string> write_streamed(const fs::path& target, const std::vector<HashKind>& kinds,
                                        const std::function<void(int fd)>& write) {
  AtomicFile file = AtomicFile::create(target);
  std::vector<std::string> digests;
  PipeStage stage([&](const Fd& in) { digests = copy_hashing(in, file.fd().get(), kinds); });
  write(stage.input());
  stage.finish();
  file.commit();
  write_checksum_files(target, kinds, digests);
  return digests;
}

void FilesTogether::add(const fs::path& target, AtomicFile file) {
  file.sync();
  const std::lock_guard lock(mutex_);
  files_.push_back({target, std::move(file)});
}

void FilesTogether::place() {
  for (Waiting& one : files_) one.file.prepare_name();
  for (Waiting& one : files_) one.file.take_name();
  for (const Waiting& one : files_) sync_directory(one.target.parent_path());
  files_.clear();
}

void write_placed(const fs::path& target, const std::vector<HashKind>& kinds,
                  const std::function<void(const AtomicFile& file)>& write, FilesTogether* together) {
  AtomicFile file = AtomicFile::create(target);
  write(file);
  const std::vector<std::string> digests = digests_of(file.fd(), kinds);
  if (together == nullptr) {
    file.commit();
    return write_checksum_files(target, kinds, digests);
  }
  together->add(target, std::move(file));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const fs::path name = target.string() + checksum_extension(kinds[i]);
    AtomicFile checksum = AtomicFile::create(name);
    write_all(checksum.fd(), checksum_line(target, digests[i]), name.string());
    if (::fchmod(checksum.fd().get(), 0644) != 0) throw Error::from_errno("changing the mode of", name.string());
    together->add(name, std::move(checksum));
  }
}

void sync_to_disk(const Fd& file, const fs::path& name) {
  if (::fsync(file.get()) != 0) throw Error::from_errno("writing", name.string());
}

namespace {

void sync_directories(const fs::path& directory) {
  for (const std::string& name : RealFileSystem().list(directory)) {
    if (fs::is_directory(fs::symlink_status(directory / name))) sync_directories(directory / name);
  }
  sync_to_disk(Fd::open(directory.string(), O_RDONLY | O_DIRECTORY), directory);
}

bool rename_with(const fs::path& from, const fs::path& to, unsigned flags) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
}

}  // namespace

void place_directory(const fs::path& made, const fs::path& target, const fs::path& kept) {
  sync_directories(made);
  if (!fs::exists(fs::symlink_status(target))) {
    fs::rename(made, target);
  } else if (rename_with(made, target, RENAME_EXCHANGE)) {
    if (!kept.empty()) fs::rename(made, kept);
  } else {
    if (errno != EINVAL && errno != ENOSYS) throw Error::from_errno("replacing", target.string());
    const fs::path other = kept.empty() ? fs::path(made.string() + ".old") : kept;
    fs::rename(target, other);
    fs::rename(made, target);
  }
  const fs::path parent = target.parent_path();
  sync_to_disk(Fd::open(parent.string(), O_RDONLY | O_DIRECTORY), parent);
}

}  // namespace hearth::builder
