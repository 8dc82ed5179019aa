// mkfs.btrfs draws ids at random (the device's, the chunk tree's, the top subvolume's) and takes over the host's change
// and access times. This pass sets both to what layout and tree say, and writes every checksum anew, so that equal
// trees give equal bytes.
//
// The format, as far as it is touched (btrfs on-disk format, kernel's include/uapi/linux/btrfs_tree.h; little-endian):
// superblock at 64 KiB, 64 MiB and 256 GiB; tree blocks with a header of 101 bytes, items of 25 bytes behind it, their
// data from the block's end backwards; CRC-32C over everything behind the checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/path.hpp"

namespace hearth::builder {

/// What a normalised file system carries instead of random ids; UUIDs in text.
struct BtrfsIds {
  std::string device;
  std::string chunk_tree;
  std::string subvolume;
};

/// Ids that follow from the file system's own UUID.
[[nodiscard]] BtrfsIds btrfs_ids(std::string_view uuid);

/// Rewrites the file system that fills `file`: these ids; every inode's access, change and creation time becomes its
/// modification time, whole seconds, at most `epoch`; the tree roots' times become `epoch`. Throws Error(input) for
/// what is no btrfs with CRC-32C.
void normalise_btrfs(const fs::path& file, const BtrfsIds& ids, std::int64_t epoch);

}  // namespace hearth::builder
