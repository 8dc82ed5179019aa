// Where the blocks of a new ext file system's files lie. Made for disks that are built again and again: a file that
// grew must not move all others, or no cluster of the next image is one of the last. So larger files, and directories
// full of small ones, begin on whole clusters where there is plenty of room; the gaps stay free. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "builder/disk/ext/ext_tree.hpp"

namespace hearth::builder {

/// Blocks in a row.
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const BlockRange&) const = default;
};

/// Blocks of a file, in a row in the file and on disk.
struct FileExtent {
  std::uint64_t logical = 0;
  std::uint64_t physical = 0;
  std::uint32_t count = 0;
  bool operator==(const FileExtent&) const = default;
};

/// Free blocks, given out from the front to the end, and what was passed over when the end is reached.
class FreeBlocks {
 public:
  explicit FreeBlocks(std::vector<BlockRange> free);
  [[nodiscard]] std::uint64_t left() const { return left_; }
  /// The next `count` blocks, in as many ranges as it takes; nothing when there are too few.
  [[nodiscard]] std::optional<std::vector<BlockRange>> take(std::uint64_t count);
  /// From here on to the next block whose number, plus `phase`, is a multiple of `alignment`.
  void align(std::uint64_t alignment, std::uint64_t phase);

 private:
  std::vector<BlockRange> free_;
  std::vector<BlockRange> skipped_;
  std::size_t at_ = 0;  ///< in free_
  std::uint64_t left_ = 0;
};

struct PlacementRules {
  std::uint64_t block_size = 4096;
  std::uint64_t cluster = 65536;  ///< bytes; of the disk image that is made of it
  std::uint64_t offset = 0;       ///< bytes; of the file system on the disk
};

/// Extents for each node, by its index: of directories (`directory_blocks` by index), of files' data, of links whose
/// text does not fit into the inode. At most 32768 blocks each (an extent's limit). Nothing when there are too few
/// blocks.
[[nodiscard]] std::optional<std::vector<std::vector<FileExtent>>> place_nodes(
    const std::vector<ExtNode>& nodes, const std::vector<std::uint64_t>& directory_blocks, FreeBlocks free,
    const PlacementRules& rules);

}  // namespace hearth::builder
