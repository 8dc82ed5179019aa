#include "builder/disk/btrfs/btrfs_ids.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/byte_order.hpp"
#include "base/crc.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "builder/disk/copy/data_ranges.hpp"
#include "builder/disk/layout/layout.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_super_size = 4096;
constexpr std::array<std::uint64_t, 3> k_supers = {std::uint64_t{64} << 10U, std::uint64_t{64} << 20U,
                                                   std::uint64_t{256} << 30U};
constexpr std::size_t k_header = 101;
constexpr std::size_t k_item = 25;
constexpr std::size_t k_key = 17;
constexpr std::size_t k_checksum = 32;

enum ItemType : std::uint8_t {
  inode_item = 1,
  xattr_item = 24,
  dir_item = 84,
  dir_index = 96,
  root_item = 132,
  dev_extent = 204,
  dev_item = 216,
  chunk_item = 228,
  uuid_subvolume = 251,
};

bool is_sealed(const std::string& block) {
  return get_le(block, 0, 4) == crc32c(std::string_view(block).substr(k_checksum));
}

void seal(std::string& block) { put_le(block, 0, crc32c(std::string_view(block).substr(k_checksum)), 4); }

class Pass {
 public:
  Pass(const fs::path& file, const BtrfsIds& ids, std::int64_t epoch)
      : file_(file),
        fd_(Fd::open(file.string(), O_RDWR)),
        epoch_(static_cast<std::uint64_t>(std::max<std::int64_t>(epoch, 0))) {
    device_ = uuid_bytes(ids.device);
    chunk_tree_ = uuid_bytes(ids.chunk_tree);
    subvolume_ = uuid_bytes(ids.subvolume);
  }

  void run() {
    const std::string super = read(k_supers[0], k_super_size);
    if (super.size() < k_super_size || super.substr(64, 8) != "_BHRfS_M" || get_le(super, 196, 2) != 0 ||
        !is_sealed(super)) {
      throw Error(ErrorKind::input, cat(file_.string(), " holds no btrfs with CRC-32C"));
    }
    fsid_ = super.substr(32, 16);
    node_size_ = get_le(super, 148, 4);
    if (node_size_ < 4096 || node_size_ > 65536)
      throw Error(ErrorKind::input, cat(file_.string(), ": odd btrfs nodes"));
    each_tree_block();
    for (const std::uint64_t at : k_supers) rewrite_super(at);
    fd_.close();
  }

 private:
  std::string read(std::uint64_t offset, std::size_t count) const {
    std::string bytes(count, '\0');
    const ssize_t got = ::pread(fd_.get(), bytes.data(), count, static_cast<off_t>(offset));
    if (got < 0) throw Error::from_errno("reading", file_.string());
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }

  void write(std::uint64_t offset, const std::string& bytes) const {
    const ssize_t put_there = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put_there != static_cast<ssize_t>(bytes.size())) throw Error::from_errno("writing", file_.string());
  }

  /// Tree blocks lie at multiples of their size; each is known by the file system's id and its own checksum.
  void each_tree_block() {
    for (const Extent& range : data_ranges(file_, 0)) {
      std::uint64_t at = (range.offset + node_size_ - 1) / node_size_ * node_size_;
      for (; at + node_size_ <= range.end(); at += node_size_) {
        if (read(at + 32, 16) != fsid_) continue;
        std::string block = read(at, node_size_);
        if (block.size() < node_size_ || block.substr(64, 8) == "_BHRfS_M" || !is_sealed(block)) continue;
        block.replace(64, 16, chunk_tree_);
        get_le(block, 100, 1) == 0 ? rewrite_leaf(block) : clear_node(block);
        seal(block);
        write(at, block);
      }
    }
  }

  /// What an inner node does not use may hold leftovers.
  static void clear_node(std::string& node) {
    constexpr std::size_t pointer = 33;
    const std::size_t end =
        k_header + std::min<std::uint64_t>(get_le(node, 96, 4), (node.size() - k_header) / pointer) * pointer;
    std::fill(node.begin() + static_cast<std::ptrdiff_t>(end), node.end(), '\0');
  }

  void rewrite_leaf(std::string& leaf) const {
    const std::uint64_t items = std::min<std::uint64_t>(get_le(leaf, 96, 4), (leaf.size() - k_header) / k_item);
    std::size_t lowest = leaf.size();
    for (std::uint64_t i = 0; i < items; ++i) {
      lowest = std::min<std::size_t>(lowest, k_header + get_le(leaf, k_header + i * k_item + k_key, 4));
    }
    const std::size_t end = k_header + items * k_item;  // between here and the data lie leftovers
    if (end < lowest) leaf.replace(end, lowest - end, lowest - end, '\0');
    for (std::uint64_t i = 0; i < items; ++i) {
      const std::size_t key = k_header + i * k_item;
      const std::size_t data = k_header + get_le(leaf, key + k_key, 4);
      const std::size_t size = get_le(leaf, key + k_key + 4, 4);
      if (data + size > leaf.size()) continue;
      rewrite_item(leaf, key, data, size);
    }
  }

  void rewrite_item(std::string& leaf, std::size_t key, std::size_t data, std::size_t size) const {
    switch (get_le(leaf, key + 8, 1)) {
      case inode_item:
        if (size >= 160) rewrite_inode(leaf, data);
        break;
      case root_item:
        if (size >= 375) rewrite_root(leaf, data);
        break;
      case xattr_item:
      case dir_item:
      case dir_index: rewrite_names(leaf, data, size); break;
      case dev_extent:
        if (size >= 48) leaf.replace(data + 32, 16, chunk_tree_);
        break;
      case dev_item:
        if (size >= 98) leaf.replace(data + 66, 16, device_);
        break;
      case chunk_item: rewrite_chunk(leaf, data, size); break;
      case uuid_subvolume:  // the key is the id
        leaf.replace(key, 8, subvolume_.substr(0, 8));
        leaf.replace(key + 9, 8, subvolume_.substr(8));
        break;
      default: break;
    }
  }

  void rewrite_inode(std::string& leaf, std::size_t at) const {
    const std::uint64_t time = std::min(get_le(leaf, at + 136, 8), epoch_);
    for (const std::size_t field : {112U, 124U, 136U, 148U}) put_time(leaf, at + field, time);
  }

  static void put_time(std::string& leaf, std::size_t at, std::uint64_t seconds) {
    put_le(leaf, at, seconds, 8);
    put_le(leaf, at + 8, 0, 4);
  }

  /// mkfs.btrfs leaves the transaction of an attribute, and of some names, as it finds it in memory.
  static void rewrite_names(std::string& leaf, std::size_t at, std::size_t size) {
    constexpr std::size_t head = 30;
    const std::uint64_t generation = get_le(leaf, 80, 8);
    for (const std::size_t end = at + size; at + head <= end;) {
      put_le(leaf, at + 17, generation, 8);
      at += head + get_le(leaf, at + 25, 2) + get_le(leaf, at + 27, 2);
    }
  }

  void rewrite_root(std::string& leaf, std::size_t at) const {
    for (const std::size_t field : {112U, 124U, 136U, 148U, 327U, 339U}) {
      if (get_le(leaf, at + field, 8) != 0) put_time(leaf, at + field, epoch_);
    }
    if (leaf.compare(at + 247, 16, std::string(16, '\0')) != 0) leaf.replace(at + 247, 16, subvolume_);
  }

  void rewrite_chunk(std::string& bytes, std::size_t at, std::size_t size) const {
    const std::uint64_t stripes = get_le(bytes, at + 44, 2);
    for (std::uint64_t i = 0; i < stripes && 48 + (i + 1) * 32 <= size; ++i) {
      bytes.replace(at + 48 + i * 32 + 16, 16, device_);
    }
  }

  void rewrite_super(std::uint64_t at) const {
    std::string super = read(at, k_super_size);
    if (super.size() < k_super_size || super.substr(64, 8) != "_BHRfS_M") return;
    super.replace(201 + 66, 16, device_);
    const std::size_t end = 811 + std::min<std::size_t>(get_le(super, 160, 4), 2048);
    for (std::size_t chunk = 811; chunk + k_key + 48 <= end;) {
      const std::size_t size = 48 + get_le(super, chunk + k_key + 44, 2) * 32;
      rewrite_chunk(super, chunk + k_key, std::min(size, end - chunk - k_key));
      chunk += k_key + size;
    }
    super.replace(end, 811 + 2048 - end, 811 + 2048 - end, '\0');  // of chunks that it only began with
    seal(super);
    write(at, super);
  }

  const fs::path& file_;
  Fd fd_;
  std::uint64_t epoch_;
  std::string device_, chunk_tree_, subvolume_, fsid_;
  std::size_t node_size_ = 0;
};

}  // namespace

BtrfsIds btrfs_ids(std::string_view uuid) {
  return {derived_uuid(uuid, "btrfs device"), derived_uuid(uuid, "btrfs chunk tree"),
          derived_uuid(uuid, "btrfs subvolume")};
}

void normalise_btrfs(const fs::path& file, const BtrfsIds& ids, std::int64_t epoch) { Pass(file, ids, epoch).run(); }

}  // namespace hearth::builder
