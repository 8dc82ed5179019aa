// A disk that loses what nobody synced, for tests of power cuts; and one that fills up.
//
// While a LossyDisk lives, its own open, write, rename, fsync and so on (lossy_calls.cpp, linked into the test program,
// so that SQLite and Boost call them, too) note what this process does below a directory. cut_everywhere() then plays
// what a power cut after each of these calls may leave there:
//
//   synced    what was synced, and nothing else
//   names     and every name, as a file system leaves it that writes its journal first: files without their contents
//   data      and all contents, but no name that was not synced
//   written   all of it, as kill -9 leaves it
//   torn      and some sectors of 512 bytes of what was not synced, later ones before earlier ones; names up to some
//   point
//
// A name is durable when its directory has been synced, contents when the file has. One mercy, which ext4, XFS, btrfs
// and F2FS all have: a new directory is as durable as what was synced in it. Contents written through mmap(2), and what
// other processes do, are not seen.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::fakes {

class LossyDisk {
 public:
  /// What is below `directory` already is durable. One at a time.
  explicit LossyDisk(const fs::path& directory);
  LossyDisk(const LossyDisk&) = delete;
  LossyDisk& operator=(const LossyDisk&) = delete;
  ~LossyDisk();

  /// From now on O_TMPFILE is refused, as by file systems that lack it.
  void refuse_unnamed_files();
  /// From now on a sync fails: the disk is broken.
  void refuse_syncs();
  /// From now on there is room for so many writes and new names; then the disk is full until this object goes.
  void fill_after(std::size_t writes);
  [[nodiscard]] bool was_full() const;
  /// What somebody was told: whatever is cut from now on, it holds. Any thread may say so.
  void promise(std::string what);

  struct Cut {
    std::string where;                  ///< "after operation 12 of 40, torn 2: …", for messages
    std::vector<std::string> promised;  ///< before it
  };
  /// Ends the recording. Calls `look` for each different state that a cut may leave, with the directory in that state,
  /// until an expectation in it fails or it throws, which is a failure, too. Returns how many states it saw.
  std::size_t cut_everywhere(const std::function<void(const Cut&)>& look);

 private:
  struct Recording;
  std::unique_ptr<Recording> recording_;
};

}  // namespace hearth::fakes
