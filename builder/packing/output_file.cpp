#include "builder/packing/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "base/error.hpp"
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

void write_placed(const fs::path& target, const std::vector<HashKind>& kinds,
                  const std::function<void(const AtomicFile& file)>& write) {
  AtomicFile file = AtomicFile::create(target);
  write(file);
  const std::vector<std::string> digests = digests_of(file.fd(), kinds);
  file.commit();
  write_checksum_files(target, kinds, digests);
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
