#include "builder/disk/xfs/xfs_groups.hpp"

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/crc.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_xfs_groups_header = 56;  // of a tree's block with short pointers and a checksum
constexpr std::size_t k_xfs_groups_checksum = 52;
constexpr std::size_t k_record = 16;  // first inode, holes, count, free, mask of the free
constexpr std::size_t k_chunk_inodes = 64;
constexpr std::size_t k_root = 20, k_free_count = 28, k_free_root = 328, k_free_level = 332;  // in the AGI

std::size_t record_count(const std::string& block) { return get_be(block, 6, 2); }

/// The leaves below `block`, from the left.
void collect_leaves(std::uint64_t number, const XfsBlocks& blocks, std::vector<std::uint64_t>& leaves) {
  const std::string block = blocks.read(number);
  if (get_be(block, 4, 2) == 0) return leaves.push_back(number);
  const std::size_t pointers = k_xfs_groups_header + (block.size() - k_xfs_groups_header) / 8 * 4;
  for (std::size_t i = 0; i < record_count(block); ++i) {
    collect_leaves(get_be(block, pointers + i * 4, 4), blocks, leaves);
  }
}

/// Marks those of `numbers` that a leaf's chunks hold; how many. Chunks with free inodes are added to `partly_free`.
std::size_t mark_free(std::string& leaf, const std::vector<std::uint64_t>& numbers, std::string& partly_free) {
  std::size_t marked = 0;
  for (std::size_t i = 0; i < record_count(leaf); ++i) {
    const std::size_t at = k_xfs_groups_header + i * k_record;
    const std::uint64_t first = get_be(leaf, at, 4);
    std::uint64_t mask = get_be(leaf, at + 8, 8);
    std::size_t here = 0;
    for (auto it = std::lower_bound(numbers.begin(), numbers.end(), first);
         it != numbers.end() && *it < first + k_chunk_inodes; ++it) {
      mask |= std::uint64_t{1} << (*it - first);
      ++here;
    }
    put_be(leaf, at + 8, mask, 8);
    put_be(leaf, at + 7, get_be(leaf, at + 7, 1) + here, 1);
    marked += here;
    if (get_be(leaf, at + 7, 1) != 0) partly_free += leaf.substr(at, k_record);
  }
  return marked;
}

}  // namespace

void seal_xfs(std::string& block, std::size_t at) {
  put_le(block, at, 0, 4);
  put_le(block, at, crc32c(block), 4);
}

std::vector<std::uint64_t> xfs_group_inodes(const std::string& header, const XfsBlocks& blocks) {
  constexpr std::uint64_t hole_inodes = 4;  // that a bit of a chunk's holes stands for
  std::vector<std::uint64_t> leaves;
  collect_leaves(get_be(header, k_root, 4), blocks, leaves);
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t number : leaves) {
    const std::string leaf = blocks.read(number);
    for (std::size_t i = 0; i < record_count(leaf); ++i) {
      const std::size_t at = k_xfs_groups_header + i * k_record;
      const std::uint64_t first = get_be(leaf, at, 4);
      const std::uint64_t holes = get_be(leaf, at + 4, 2);
      for (std::uint64_t inode = 0; inode < k_chunk_inodes; ++inode) {
        if (((holes >> (inode / hole_inodes)) & 1U) == 0) numbers.push_back(first + inode);
      }
    }
  }
  return numbers;
}

void free_xfs_inodes(std::string& header, const std::vector<std::uint64_t>& numbers, const XfsBlocks& blocks) {
  std::vector<std::uint64_t> leaves;
  collect_leaves(get_be(header, k_root, 4), blocks, leaves);
  std::string partly_free;
  std::size_t marked = 0;
  for (const std::uint64_t number : leaves) {
    std::string leaf = blocks.read(number);
    marked += mark_free(leaf, numbers, partly_free);
    seal_xfs(leaf, k_xfs_groups_checksum);
    blocks.write(number, leaf);
  }
  if (marked != numbers.size()) throw Error(ErrorKind::external, "an inode is in no chunk of its group");
  put_be(header, k_free_count, get_be(header, k_free_count, 4) + marked, 4);
  const std::uint64_t root = get_be(header, k_free_root, 4);
  std::string tree = blocks.read(root);
  if (get_be(header, k_free_level, 4) != 1 || k_xfs_groups_header + partly_free.size() > tree.size()) {
    throw Error(ErrorKind::unsupported, "the tree has hard links in too many places for an XFS made in user space")
        .hint("--disk-maker guestfs makes it.");
  }
  tree.replace(k_xfs_groups_header, tree.size() - k_xfs_groups_header, tree.size() - k_xfs_groups_header, '\0');
  tree.replace(k_xfs_groups_header, partly_free.size(), partly_free);
  put_be(tree, 6, partly_free.size() / k_record, 2);
  seal_xfs(tree, k_xfs_groups_checksum);
  blocks.write(root, tree);
}

}  // namespace hearth::builder
