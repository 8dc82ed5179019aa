// An XFS image file (version 5, no mount) opened for small repairs: inodes, directory entries, inodes given back. The
// structures are those of the "XFS Algorithms & Data Structures" document; numbers on disk are big-endian, checksums
// CRC-32C stored little-endian.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "builder/disk/xfs/xfs_groups.hpp"

namespace hearth::builder {

using XfsNumber = std::uint64_t;  ///< of an inode

/// How many extents the data of a file have: newer inodes (XFS_DIFLAG2_NREXT64) keep that number in another place.
[[nodiscard]] std::uint64_t xfs_extent_count(const std::string& inode);

/// A directory, read whole; entries are changed in place, which needs names of the same length and hash.
class XfsDirectory {
 public:
  struct Entry {
    XfsNumber inode = 0;
    std::size_t block = 0;    ///< index into blocks()
    std::size_t name_at = 0;  ///< in the block; the kind of the file is behind the name
    std::size_t inode_at = 0;
    std::size_t inode_bytes = 8;
  };
  struct Block {
    std::uint64_t offset = 0;  ///< in the file; 0 = the directory lies in its inode
    std::string bytes;
    bool changed = false;
  };

  [[nodiscard]] const std::map<std::string, Entry>& entries() const { return entries_; }
  /// Throws Error(external) where there is none.
  [[nodiscard]] const Entry& entry(const std::string& name) const;
  void rename(const Entry& entry, const std::string& name);
  /// `kind` as the entry of that file has it: see kind_of().
  void point_to(const Entry& entry, XfsNumber inode, char kind, std::size_t name_length);
  [[nodiscard]] char kind_of(const Entry& entry, std::size_t name_length) const;

 private:
  friend class XfsImage;
  void read_short_form(const std::string& fork);
  void read_block(Block block);

  std::vector<Block> blocks_;
  std::map<std::string, Entry> entries_;
};

class XfsImage {
 public:
  /// Throws Error(input) for what is no XFS of version 5 with directory blocks of one block.
  [[nodiscard]] static XfsImage open(const fs::path& file);

  [[nodiscard]] XfsNumber root() const { return root_; }
  [[nodiscard]] std::size_t block_size() const { return block_size_; }
  [[nodiscard]] std::string read_inode(XfsNumber number) const;
  void write_inode(XfsNumber number, std::string inode) const;

  [[nodiscard]] XfsDirectory read_directory(const std::string& inode) const;
  /// Writes the blocks that changed; an inode's own part goes back into `inode`.
  void write_directory(const XfsDirectory& directory, std::string& inode) const;

  /// Marks empty files as free inodes: in themselves, in the trees of their groups, in the counters.
  void give_back(std::vector<XfsNumber> numbers) const;
  /// Takes from all inodes, free ones too, the generation, which newer makers draw.
  void clear_generations() const;
  /// Says in the superblock that there are extended attributes.
  void announce_attributes() const;
  /// Inodes of the file system's own: of the real-time section, which every XFS has.
  [[nodiscard]] std::vector<XfsNumber> own_inodes() const;

 private:
  struct Run {
    std::uint64_t file_block = 0;
    std::uint64_t disk_block = 0;
    std::uint64_t count = 0;
  };
  explicit XfsImage(const fs::path& file);
  [[nodiscard]] std::string read(std::uint64_t offset, std::size_t count) const;
  void write(std::uint64_t offset, const std::string& bytes) const;
  [[nodiscard]] std::uint64_t inode_offset(XfsNumber number) const;
  [[nodiscard]] std::uint64_t block_offset(std::uint64_t block) const;
  [[nodiscard]] std::vector<Run> runs_of(const std::string& inode) const;
  void collect_runs(std::uint64_t number, std::vector<Run>& runs) const;
  static void add_runs(std::string_view records, std::size_t count, std::vector<Run>& runs);
  [[nodiscard]] XfsBlocks blocks_of_group(std::uint64_t group) const;
  [[nodiscard]] std::uint64_t header_offset(std::uint64_t group) const;
  void give_back_in_group(std::uint64_t group, const std::vector<std::uint64_t>& numbers) const;
  void rewrite_superblock(const std::function<void(std::string&)>& change) const;

  std::string name_;
  Fd fd_;
  XfsNumber root_ = 0;
  std::uint64_t groups_ = 0, group_blocks_ = 0;
  std::size_t block_size_ = 0, sector_size_ = 0, inode_size_ = 0;
  unsigned block_log_ = 0, inode_log_ = 0, per_block_log_ = 0, group_log_ = 0;
};

}  // namespace hearth::builder
