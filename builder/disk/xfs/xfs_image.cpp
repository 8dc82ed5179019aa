#include "builder/disk/xfs/xfs_image.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_inode_core = 176;
constexpr std::size_t k_inode_checksum = 100;
constexpr std::size_t k_xfs_image_format = 5, k_xfs_image_long_extents = 24, k_xfs_image_size = 56,
                      k_xfs_image_extents = 76, k_xfs_image_fork_offset = 82, k_xfs_image_generation = 92,
                      k_xfs_image_flags2 = 120;                    // in the inode
constexpr std::uint64_t k_has_long_extents = 16;                   // in flags2
constexpr std::size_t k_map_header = 72;                           // of a block of a file's extent tree
constexpr std::uint64_t k_index_begin = std::uint64_t{32} << 30U;  // of a directory: behind its data lies their index
constexpr std::size_t k_directory_header = 64;
constexpr std::size_t k_directory_checksum = 4;
constexpr std::size_t k_super_checksum = 224;

enum DataFork : std::uint8_t { fork_local = 1, fork_extents = 2, fork_tree = 3 };

std::size_t data_fork_size(const std::string& inode) {
  const std::size_t offset = get_be(inode, k_xfs_image_fork_offset, 1) * 8;
  return offset == 0 ? inode.size() - k_inode_core : offset;
}

}  // namespace

std::uint64_t xfs_extent_count(const std::string& inode) {
  const bool is_long = (get_be(inode, k_xfs_image_flags2, 8) & k_has_long_extents) != 0;
  return is_long ? get_be(inode, k_xfs_image_long_extents, 8) : get_be(inode, k_xfs_image_extents, 4);
}

const XfsDirectory::Entry& XfsDirectory::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw Error(ErrorKind::external, cat("the XFS made has no ", name));
  return found->second;
}

void XfsDirectory::rename(const Entry& entry, const std::string& name) {
  blocks_[entry.block].bytes.replace(entry.name_at, name.size(), name);
  blocks_[entry.block].changed = true;
}

void XfsDirectory::point_to(const Entry& entry, XfsNumber inode, char kind, std::size_t name_length) {
  if (entry.inode_bytes == 4 && inode >> 32U != 0) {
    throw Error(ErrorKind::unsupported, "hard links across an XFS of this size can't be made in user space")
        .hint("--disk-maker guestfs makes it.");
  }
  Block& block = blocks_[entry.block];
  put_be(block.bytes, entry.inode_at, inode, entry.inode_bytes);
  block.bytes[entry.name_at + name_length] = kind;
  block.changed = true;
}

char XfsDirectory::kind_of(const Entry& entry, std::size_t name_length) const {
  return blocks_[entry.block].bytes[entry.name_at + name_length];
}

/// A directory within its inode: count, how many need long numbers, its parent; then {length, place, name, kind,
/// number}.
void XfsDirectory::read_short_form(const std::string& fork) {
  const std::size_t width = get_be(fork, 1, 1) != 0 ? 8 : 4;
  const std::size_t count = get_be(fork, 0, 1);
  std::size_t at = 2 + width;
  blocks_.push_back({.offset = 0, .bytes = fork});
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = get_be(fork, at, 1);
    const Entry entry{.name_at = at + 3, .inode_at = at + 4 + length, .inode_bytes = width};
    entries_[fork.substr(entry.name_at, length)] = entry;
    entries_[fork.substr(entry.name_at, length)].inode = get_be(fork, entry.inode_at, width);
    at = entry.inode_at + width;
  }
}

/// Entries {number, length, name, kind, …, place} and unused room {0xffff, length, …}, up to the end, or up to the
/// index at the end of a directory's only block.
void XfsDirectory::read_block(Block block) {
  const std::string& bytes = block.bytes;
  const bool only = bytes.starts_with("XDB3");
  if (!only && !bytes.starts_with("XDD3")) throw Error(ErrorKind::external, "odd directory blocks in the XFS made");
  const std::size_t end = only ? bytes.size() - 8 - get_be(bytes, bytes.size() - 8, 4) * 8 : bytes.size();
  for (std::size_t at = k_directory_header; at + 8 < end;) {
    if (get_be(bytes, at, 2) == 0xffff) {
      at += std::max<std::size_t>(get_be(bytes, at + 2, 2), 8);
      continue;
    }
    const std::size_t length = get_be(bytes, at + 8, 1);
    entries_[bytes.substr(at + 9, length)] = {
        .inode = get_be(bytes, at, 8), .block = blocks_.size(), .name_at = at + 9, .inode_at = at};
    at += (8 + 1 + length + 1 + 2 + 7) / 8 * 8;
  }
  blocks_.push_back(std::move(block));
}

XfsImage XfsImage::open(const fs::path& file) { return XfsImage(file); }

XfsImage::XfsImage(const fs::path& file) : name_(file.string()), fd_(Fd::open(name_, O_RDWR)) {
  const std::string super = read(0, 512);
  if (!super.starts_with("XFSB") || (get_be(super, 100, 2) & 0xfU) != 5 || get_be(super, 192, 1) != 0) {
    throw Error(ErrorKind::input, cat(name_, " holds no XFS of version 5 with directory blocks of one block"));
  }
  block_size_ = get_be(super, 4, 4);
  root_ = get_be(super, 56, 8);
  group_blocks_ = get_be(super, 84, 4);
  groups_ = get_be(super, 88, 4);
  sector_size_ = get_be(super, 102, 2);
  inode_size_ = get_be(super, 104, 2);
  block_log_ = static_cast<unsigned>(get_be(super, 120, 1));
  inode_log_ = static_cast<unsigned>(get_be(super, 122, 1));
  per_block_log_ = static_cast<unsigned>(get_be(super, 123, 1));
  group_log_ = static_cast<unsigned>(get_be(super, 124, 1));
}

std::string XfsImage::read(std::uint64_t offset, std::size_t count) const {
  std::string bytes(count, '\0');
  const ssize_t got = ::pread(fd_.get(), bytes.data(), count, static_cast<off_t>(offset));
  if (got < 0) throw Error::from_errno("reading", name_);
  if (static_cast<std::size_t>(got) != count) throw Error(ErrorKind::input, cat(name_, " is too short for an XFS"));
  return bytes;
}

void XfsImage::write(std::uint64_t offset, const std::string& bytes) const {
  const ssize_t put_there = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (put_there != static_cast<ssize_t>(bytes.size())) throw Error::from_errno("writing", name_);
}

std::uint64_t XfsImage::block_offset(std::uint64_t block) const {
  const std::uint64_t in_group = block & ((std::uint64_t{1} << group_log_) - 1);
  return ((block >> group_log_) * group_blocks_ + in_group) << block_log_;
}

std::uint64_t XfsImage::inode_offset(XfsNumber number) const {
  const std::uint64_t in_block = number & ((std::uint64_t{1} << per_block_log_) - 1);
  return block_offset(number >> per_block_log_) + (in_block << inode_log_);
}

std::string XfsImage::read_inode(XfsNumber number) const {
  std::string inode = read(inode_offset(number), inode_size_);
  if (!inode.starts_with("IN")) throw Error(ErrorKind::input, cat(name_, ": inode ", number, " is damaged"));
  return inode;
}

void XfsImage::write_inode(XfsNumber number, std::string inode) const {
  seal_xfs(inode, k_inode_checksum);
  write(inode_offset(number), inode);
}

/// Records of 128 bits: a flag, 54 of the place in the file, 52 of that on the disk, 21 of the length.
void XfsImage::add_runs(std::string_view records, std::size_t count, std::vector<Run>& runs) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t high = get_be(records, i * 16, 8);
    const std::uint64_t low = get_be(records, i * 16 + 8, 8);
    runs.push_back(
        {.file_block = high << 1U >> 10U, .disk_block = (high & 0x1ffU) << 43U | low >> 21U, .count = low & 0x1fffffU});
  }
}

void XfsImage::collect_runs(std::uint64_t number, std::vector<Run>& runs) const {
  const std::string block = read(block_offset(number), block_size_);
  const std::size_t count = get_be(block, 6, 2);
  if (get_be(block, 4, 2) == 0) return add_runs(std::string_view(block).substr(k_map_header), count, runs);
  const std::size_t pointers = k_map_header + (block.size() - k_map_header) / 16 * 8;
  for (std::size_t i = 0; i < count; ++i) collect_runs(get_be(block, pointers + i * 8, 8), runs);
}

std::vector<XfsImage::Run> XfsImage::runs_of(const std::string& inode) const {
  std::vector<Run> runs;
  const std::string_view fork = std::string_view(inode).substr(k_inode_core, data_fork_size(inode));
  if (get_be(inode, k_xfs_image_format, 1) == fork_extents) add_runs(fork, xfs_extent_count(inode), runs);
  if (get_be(inode, k_xfs_image_format, 1) == fork_tree) {
    const std::size_t pointers = 4 + (fork.size() - 4) / 16 * 8;
    for (std::size_t i = 0; i < get_be(fork, 2, 2); ++i) collect_runs(get_be(fork, pointers + i * 8, 8), runs);
  }
  return runs;
}

XfsDirectory XfsImage::read_directory(const std::string& inode) const {
  XfsDirectory directory;
  if (get_be(inode, k_xfs_image_format, 1) == fork_local) {
    directory.read_short_form(inode.substr(k_inode_core, get_be(inode, k_xfs_image_size, 8)));
    return directory;
  }
  for (const Run& run : runs_of(inode)) {
    for (std::uint64_t i = 0; i < run.count && (run.file_block + i) << block_log_ < k_index_begin; ++i) {
      const std::uint64_t offset = block_offset(run.disk_block + i);
      directory.read_block({.offset = offset, .bytes = read(offset, block_size_)});
    }
  }
  return directory;
}

void XfsImage::write_directory(const XfsDirectory& directory, std::string& inode) const {
  for (const XfsDirectory::Block& block : directory.blocks_) {
    if (!block.changed) continue;
    if (block.offset == 0) {
      inode.replace(k_inode_core, block.bytes.size(), block.bytes);
      continue;
    }
    std::string bytes = block.bytes;
    seal_xfs(bytes, k_directory_checksum);
    write(block.offset, bytes);
  }
}

void XfsImage::give_back(std::vector<XfsNumber> numbers) const {
  std::sort(numbers.begin(), numbers.end());
  std::map<std::uint64_t, std::vector<std::uint64_t>> by_group;
  const unsigned group_bits = group_log_ + per_block_log_;
  for (const XfsNumber number : numbers) {
    std::string inode = read_inode(number);
    std::string empty(inode.size(), '\0');
    empty.replace(0, 2, "IN");
    put_be(empty, 4, 3, 1);  // version
    put_be(empty, k_xfs_image_format, fork_extents, 1);
    put_be(empty, 83, fork_extents, 1);      // the attributes' format
    put_be(empty, 96, 0xffffffffU, 4);       // in no list of unlinked inodes
    empty.replace(120, 8, inode, 120, 8);    // flags that a new inode has
    empty.replace(152, 24, inode, 152, 24);  // its number, the file system's id
    write_inode(number, std::move(empty));
    by_group[number >> group_bits].push_back(number & ((std::uint64_t{1} << group_bits) - 1));
  }
  for (const auto& [group, in_group] : by_group) give_back_in_group(group, in_group);
  if (numbers.empty()) return;
  rewrite_superblock([&](std::string& super) { put_be(super, 136, get_be(super, 136, 8) + numbers.size(), 8); });
}

XfsBlocks XfsImage::blocks_of_group(std::uint64_t group) const {
  const std::uint64_t begin = group * group_blocks_ << block_log_;
  return {.read = [this, begin](std::uint64_t block) { return read(begin + (block << block_log_), block_size_); },
          .write = [this, begin](std::uint64_t block,
                                 const std::string& bytes) { write(begin + (block << block_log_), bytes); }};
}

std::uint64_t XfsImage::header_offset(std::uint64_t group) const {
  return (group * group_blocks_ << block_log_) + 2 * sector_size_;
}

void XfsImage::give_back_in_group(std::uint64_t group, const std::vector<std::uint64_t>& numbers) const {
  std::string header = read(header_offset(group), sector_size_);
  free_xfs_inodes(header, numbers, blocks_of_group(group));
  seal_xfs(header, 312);
  write(header_offset(group), header);
}

void XfsImage::clear_generations() const {
  const unsigned group_bits = group_log_ + per_block_log_;
  for (std::uint64_t group = 0; group < groups_; ++group) {
    const std::string header = read(header_offset(group), sector_size_);
    for (const std::uint64_t in_group : xfs_group_inodes(header, blocks_of_group(group))) {
      const XfsNumber number = group << group_bits | in_group;
      std::string inode = read_inode(number);
      if (get_be(inode, k_xfs_image_generation, 4) == 0) continue;
      put_be(inode, k_xfs_image_generation, 0, 4);
      write_inode(number, std::move(inode));
    }
  }
}

void XfsImage::rewrite_superblock(const std::function<void(std::string&)>& change) const {
  std::string super = read(0, sector_size_);
  change(super);
  seal_xfs(super, k_super_checksum);
  write(0, super);
}

void XfsImage::announce_attributes() const {
  rewrite_superblock([](std::string& super) { put_be(super, 100, get_be(super, 100, 2) | 0x10U, 2); });
}

std::vector<XfsNumber> XfsImage::own_inodes() const {
  const std::string super = read(0, 512);
  return {get_be(super, 64, 8), get_be(super, 72, 8)};
}

}  // namespace hearth::builder
