// The trees in which an allocation group of XFS (xfs_image.hpp) keeps its inodes: all chunks of 64, and those that have
// free ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hearth::builder {

/// How a group's blocks are read and written: by their number in the group.
struct XfsBlocks {
  std::function<std::string(std::uint64_t)> read;
  std::function<void(std::uint64_t, const std::string&)> write;
};

/// Marks the inodes `numbers` (of this group, counted in it) as free in both trees and in `header`, the group's AGI,
/// whose checksum is left to the caller. Throws Error(unsupported) where the second tree would need another block.
void free_xfs_inodes(std::string& header, const std::vector<std::uint64_t>& numbers, const XfsBlocks& blocks);

/// The numbers (in the group) of all inodes that have room on the disk, in use or free. `header` is the group's AGI.
[[nodiscard]] std::vector<std::uint64_t> xfs_group_inodes(const std::string& header, const XfsBlocks& blocks);

/// Computes a block's checksum anew: CRC-32C with the four bytes at `at` taken for zero, stored little-endian.
void seal_xfs(std::string& block, std::size_t at);

}  // namespace hearth::builder
