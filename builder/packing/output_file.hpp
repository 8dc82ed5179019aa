// Output files with their checksums. A file and its digests come from one pass where it is written from beginning to
// end; where a writer places its data freely (disk formats), it is read once, for all digests, before it gets its name.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/path.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {

/// Writes `target` from what `write` puts into the descriptor, in order. It appears complete or not at all; its
/// checksum files (TARGET.md5 …) right behind it. Returns the digests in the order of `kinds`.
std::vector<std::string> write_streamed(const fs::path& target, const std::vector<HashKind>& kinds,
                                        const std::function<void(int fd)>& write);

/// Files that belong together, as the disks of one machine: all are complete and synced before the first gets its name.
/// Of those that never do nothing is left, not even by SIGKILL, where the file system knows files without a name.
class FilesTogether {
 public:
  /// A complete one; from any thread.
  void add(const fs::path& target, AtomicFile file);
  /// What may need room goes first: then only renames are left.
  void place();

 private:
  struct Waiting {
    fs::path target;
    AtomicFile file;
  };
  std::mutex mutex_;
  std::vector<Waiting> files_;
};

/// The same for a writer that seeks in the file. With `together` it only waits there, as do its checksum files.
void write_placed(const fs::path& target, const std::vector<HashKind>& kinds,
                  const std::function<void(const AtomicFile& file)>& write, FilesTogether* together = nullptr);

/// fsync. Throws.
void sync_to_disk(const Fd& file, const fs::path& name);

/// Gives the directory `made`, whose files are synced, the name `target`. One that was there gets the name `kept`, or
/// `made`'s where that is empty. At no moment is nothing there: the two change places (RENAME_EXCHANGE); only where the
/// file system can't do that, as NFS, a crash between two renames leaves the earlier one under its other name.
void place_directory(const fs::path& made, const fs::path& target, const fs::path& kept);

}  // namespace hearth::builder
