// mke2fs -d takes over the host's change and access times and a few counters, so that two images of equal trees differ.
// This pass, by libext2fs, sets them to what the tree itself says.
#pragma once

#include <cstdint>

#include "base/path.hpp"
#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// In the ext2/3/4 file system at `extent` of `image`: every inode's access, change and creation time becomes its
/// modification time, whole seconds, at most `epoch`; the superblock's times become `epoch` and its write counter 0,
/// in the backups too. The root directory takes mode, owner and time of `source` (which mke2fs leaves out), if given.
void normalise_ext(const fs::path& image, const Extent& extent, const fs::path& source, std::int64_t epoch);

}  // namespace hearth::builder
