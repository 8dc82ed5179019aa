#include "builder/disk/ext/ext_fill.hpp"

#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext3_extents.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <future>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/data_copy.hpp"
#include "builder/disk/ext/ext_file_system.hpp"
#include "builder/disk/ext/ext_placement.hpp"
#include "builder/disk/ext/ext_tree.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_inline_extents = 4;
constexpr std::uint32_t k_ext_fill_most_links = 65000;  // of a directory; more are counted as 1 (dir_nlink)
constexpr unsigned k_copiers = 2;
constexpr std::string_view k_lost = "lost+found";

Error inode_does_not_fit(std::string_view what) {
  return Error(ErrorKind::input, cat("the tree does not fit into its ext file system: ", what));
}

std::uint8_t type_of(const ExtNode& node) {
  if (node.is_directory()) return EXT2_FT_DIR;
  if (node.is_file()) return EXT2_FT_REG_FILE;
  if (node.is_link()) return EXT2_FT_SYMLINK;
  if (LINUX_S_ISCHR(node.mode)) return EXT2_FT_CHRDEV;
  return LINUX_S_ISBLK(node.mode) ? EXT2_FT_BLKDEV : EXT2_FT_FIFO;
}

/// One name in a directory.
struct Entry {
  ext2_ino_t number = 0;
  std::string_view name;
  std::uint8_t type = 0;
};

std::size_t record_size(std::string_view name) { return (8 + name.size() + 3) / 4 * 4; }

/// A directory's blocks as they lie on disk, without their checksums.
class DirectoryBlocks {
 public:
  DirectoryBlocks(std::size_t block, std::size_t tail) : block_(block), usable_(block - tail) {}

  void add(const Entry& entry) {
    const std::size_t size = record_size(entry.name);
    if (blocks_.empty() || used_ + size > usable_) begin_block();
    std::string& block = blocks_.back();
    last_ = used_;
    put<std::uint32_t>(block, used_, entry.number);
    put<std::uint16_t>(block, used_ + 4, static_cast<std::uint16_t>(size));
    block[used_ + 6] = static_cast<char>(entry.name.size());
    block[used_ + 7] = static_cast<char>(entry.type);
    std::memcpy(block.data() + used_ + 8, entry.name.data(), entry.name.size());
    used_ += size;
  }

  /// The last record of each block reaches to its end.
  std::vector<std::string> take() {
    end_block();
    return std::move(blocks_);
  }

 private:
  template <typename T>
  static void put(std::string& block, std::size_t at, T value) {
    std::memcpy(block.data() + at, &value, sizeof value);  // on disk little-endian, as all machines that we build for
  }
  void end_block() {
    if (!blocks_.empty()) put(blocks_.back(), last_ + 4, static_cast<std::uint16_t>(usable_ - last_));
  }
  void begin_block() {
    end_block();
    blocks_.emplace_back(block_, '\0');
    used_ = last_ = 0;
  }

  std::size_t block_;
  std::size_t usable_;
  std::size_t used_ = 0;
  std::size_t last_ = 0;
  std::vector<std::string> blocks_;
};

void set_inline_extents(ext2_inode& inode, const std::vector<FileExtent>& extents) {
  ext3_extent_header header{};
  header.eh_magic = EXT3_EXT_MAGIC;
  header.eh_entries = static_cast<__le16>(std::min(extents.size(), k_inline_extents));
  header.eh_max = k_inline_extents;
  auto* const place = reinterpret_cast<char*>(inode.i_block);
  std::memcpy(place, &header, sizeof header);
  if (extents.size() > k_inline_extents) {  // those of a tree are entered later
    header.eh_entries = 0;
    std::memcpy(place, &header, sizeof header);
    return;
  }
  for (std::size_t i = 0; i < extents.size(); ++i) {
    ext3_extent extent{};
    extent.ee_block = static_cast<__le32>(extents[i].logical);
    extent.ee_len = static_cast<__le16>(extents[i].count);
    extent.ee_start = static_cast<__le32>(extents[i].physical & 0xffffffffU);
    extent.ee_start_hi = static_cast<__le16>(extents[i].physical >> 32U);
    std::memcpy(place + sizeof header + i * sizeof extent, &extent, sizeof extent);
  }
}

void set_device(ext2_inode& inode, std::uint64_t device) {
  const unsigned major = gnu_dev_major(device);
  const unsigned minor = gnu_dev_minor(device);
  if (major < 256 && minor < 256) {
    inode.i_block[0] = major * 256 + minor;
  } else {
    inode.i_block[1] = (minor & 0xffU) | (major << 8U) | ((minor & ~0xffU) << 12U);
  }
}

class ExtFiller {
 public:
  ExtFiller(const fs::path& image, const Extent& extent, const fs::path& source)
      : image_(image), extent_(extent), source_(source), opened_(image, extent.offset), fs_(opened_.get()) {
    check(::ext2fs_read_bitmaps(fs_), "reading the bitmaps");
    check(::ext2fs_lookup(fs_, EXT2_ROOT_INO, k_lost.data(), static_cast<int>(k_lost.size()), nullptr, &lost_),
          "finding lost+found");
  }

  /// With their data, where `copied`. Returns its places.
  std::vector<FilePiece> run(bool copied) {
    nodes_ = read_ext_tree(source_, fs_->blocksize);
    number();
    std::vector<std::uint64_t> directory_blocks(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_directory()) directory_blocks[i] = directory_of(i).size();
    }
    place(directory_blocks);
    std::vector<FilePiece> data = pieces();
    std::future<void> copying;  // its end waits for the copying, also when an exception leaves here
    if (copied) copying = std::async(std::launch::async, [&] { copy_pieces(data, image_, fs_->blocksize, k_copiers); });
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].same_as == i) write_node(i);
    }
    if (copied) copying.get();
    opened_.close();
    return data;
  }

 private:
  static void check(errcode_t code, std::string_view what) { check_ext(code, what); }

  /// Inodes in the order of the nodes.
  void number() {
    numbers_.resize(nodes_.size());
    numbers_[0] = EXT2_ROOT_INO;
    ext2_ino_t next = EXT2_FIRST_INODE(fs_->super);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (nodes_[i].same_as != i) {
        numbers_[i] = numbers_[nodes_[i].same_as];
        continue;
      }
      ext2_ino_t free = 0;
      const errcode_t code =
          ::ext2fs_find_first_zero_inode_bitmap2(fs_->inode_map, next, fs_->super->s_inodes_count, &free);
      if (code != 0) throw inode_does_not_fit(cat("no inode is free of ", fs_->super->s_inodes_count));
      ::ext2fs_inode_alloc_stats2(fs_, free, +1, nodes_[i].is_directory() ? 1 : 0);
      numbers_[i] = free;
      next = std::min(free + 1, fs_->super->s_inodes_count);  // the last is taken then, and nothing is found
    }
  }

  std::vector<std::string> directory_of(std::size_t index) const {
    const std::size_t tail = ::ext2fs_has_feature_metadata_csum(fs_->super) != 0 ? sizeof(ext2_dir_entry_tail) : 0;
    DirectoryBlocks blocks(fs_->blocksize, tail);
    blocks.add({numbers_[index], ".", EXT2_FT_DIR});
    blocks.add({numbers_[nodes_[index].parent], "..", EXT2_FT_DIR});
    if (index == 0) blocks.add({lost_, k_lost, EXT2_FT_DIR});
    for (const std::size_t child : nodes_[index].children) {
      blocks.add({numbers_[child], nodes_[child].name, type_of(nodes_[child])});
    }
    return blocks.take();
  }

  [[nodiscard]] FreeBlocks free_blocks() const {
    std::vector<BlockRange> free;
    const blk64_t end = ::ext2fs_blocks_count(fs_->super) - 1;
    for (blk64_t at = fs_->super->s_first_data_block; at <= end;) {
      blk64_t first = 0;
      blk64_t used = 0;
      if (::ext2fs_find_first_zero_block_bitmap2(fs_->block_map, at, end, &first) != 0) break;
      if (::ext2fs_find_first_set_block_bitmap2(fs_->block_map, first, end, &used) != 0) used = end + 1;
      free.push_back({first, used - first});
      at = used;
    }
    return FreeBlocks(std::move(free));
  }

  /// The root's first block is there already.
  void place(std::vector<std::uint64_t> directory_blocks) {
    blk64_t first = 0;
    check(::ext2fs_bmap2(fs_, EXT2_ROOT_INO, nullptr, nullptr, 0, 0, nullptr, &first), "finding the root directory");
    --directory_blocks[0];
    const PlacementRules rules{.block_size = fs_->blocksize, .offset = extent_.offset};
    auto placed = place_nodes(nodes_, directory_blocks, free_blocks(), rules);
    if (!placed) throw inode_does_not_fit(cat("no block is free of ", ::ext2fs_blocks_count(fs_->super)));
    extents_ = std::move(*placed);
    for (const std::vector<FileExtent>& extents : extents_) {
      for (const FileExtent& each : extents) ::ext2fs_block_alloc_stats_range(fs_, each.physical, each.count, +1);
    }
    for (FileExtent& extent : extents_[0]) ++extent.logical;
    extents_[0].insert(extents_[0].begin(), {0, first, 1});
  }

  [[nodiscard]] std::vector<FilePiece> pieces() const {
    std::vector<FilePiece> pieces;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_file() && nodes_[i].same_as == i) add_pieces(i, pieces);
    }
    std::sort(pieces.begin(), pieces.end(), [](const FilePiece& a, const FilePiece& b) { return a.to < b.to; });
    return pieces;
  }

  void add_pieces(std::size_t index, std::vector<FilePiece>& pieces) const {
    const ExtNode& node = nodes_[index];
    const fs::path file = source_ / node.path;
    for (const FileExtent& extent : extents_[index]) {
      const std::uint64_t from = extent.logical * fs_->blocksize;
      const std::uint64_t length =
          std::min<std::uint64_t>(std::uint64_t{extent.count} * fs_->blocksize, node.size - from);
      pieces.push_back({file, from, length, extent_.offset + extent.physical * fs_->blocksize});
    }
  }

  void write_node(std::size_t index) {
    const ExtNode& node = nodes_[index];
    ext2_inode_large inode = inode_of(index);
    auto* const plain = reinterpret_cast<ext2_inode*>(&inode);
    const int size = static_cast<int>(std::min<std::size_t>(EXT2_INODE_SIZE(fs_->super), sizeof inode));
    check(::ext2fs_write_inode_full(fs_, numbers_[index], plain, size), "writing an inode");
    if (extents_[index].size() > k_inline_extents) grow_extent_tree(index);
    if (node.is_directory()) write_directory(index);
    if (node.is_link() && !extents_[index].empty()) write_link(node, extents_[index].front());
    if (!node.attributes.empty()) write_attributes(node, numbers_[index]);
  }

  [[nodiscard]] ext2_inode_large inode_of(std::size_t index) const {
    const ExtNode& node = nodes_[index];
    ext2_inode_large inode{};
    auto& plain = *reinterpret_cast<ext2_inode*>(&inode);
    inode.i_mode = static_cast<__u16>(node.mode);
    inode.i_uid = static_cast<__u16>(node.uid & 0xffffU);
    inode.i_gid = static_cast<__u16>(node.gid & 0xffffU);
    inode.osd2.linux2.l_i_uid_high = static_cast<__u16>(node.uid >> 16U);
    inode.osd2.linux2.l_i_gid_high = static_cast<__u16>(node.gid >> 16U);
    inode.i_atime = inode.i_ctime = inode.i_mtime = static_cast<__u32>(node.mtime_s);
    inode.i_links_count = links_of(index);
    if (EXT2_INODE_SIZE(fs_->super) > EXT2_GOOD_OLD_INODE_SIZE) inode.i_extra_isize = fs_->super->s_want_extra_isize;
    std::uint64_t blocks = 0;
    for (const FileExtent& extent : extents_[index]) blocks += extent.count;
    const std::uint64_t size = node.is_directory() ? blocks * fs_->blocksize : node.size;
    check(::ext2fs_inode_size_set(fs_, &plain, static_cast<ext2_off64_t>(size)), "setting a file's size");
    check(::ext2fs_iblk_set(fs_, &plain, blocks), "counting a file's blocks");
    if (node.is_link() && extents_[index].empty()) {
      std::memcpy(inode.i_block, node.link.data(), node.link.size());
    } else if (node.is_directory() || node.is_file() || node.is_link()) {
      inode.i_flags = EXT4_EXTENTS_FL;
      set_inline_extents(plain, extents_[index]);
    } else if (!LINUX_S_ISFIFO(node.mode)) {
      set_device(plain, node.device);
    }
    return inode;
  }

  [[nodiscard]] __u16 links_of(std::size_t index) const {
    const std::uint32_t links = nodes_[index].links + (index == 0 ? 1 : 0);  // lost+found
    if (links <= k_ext_fill_most_links) return static_cast<__u16>(links);
    if (nodes_[index].is_directory()) return 1;
    throw inode_does_not_fit(
        cat("/", nodes_[index].path, " has ", links, " hard links, more than ", k_ext_fill_most_links));
  }

  void grow_extent_tree(std::size_t index) {
    ext2_extent_handle_t handle = nullptr;
    check(::ext2fs_extent_open(fs_, numbers_[index], &handle), "entering extents");
    const std::unique_ptr<ext2_extent_handle, decltype(&::ext2fs_extent_free)> owner(handle, &::ext2fs_extent_free);
    for (const FileExtent& extent : extents_[index]) {
      ext2fs_extent raw{extent.physical, extent.logical, extent.count, 0};
      check(::ext2fs_extent_insert(handle, EXT2_EXTENT_INSERT_AFTER, &raw), "entering an extent");
      check(::ext2fs_extent_fix_parents(handle), "entering an extent");
    }
  }

  void write_directory(std::size_t index) {
    std::vector<std::string> blocks = directory_of(index);
    std::size_t next = 0;
    for (const FileExtent& extent : extents_[index]) {
      for (std::uint32_t i = 0; i < extent.count; ++i) {
        std::string& block = blocks[next++];
        if (::ext2fs_has_feature_metadata_csum(fs_->super) != 0) {
          ::ext2fs_initialize_dirent_tail(fs_, EXT2_DIRENT_TAIL(block.data(), fs_->blocksize));
        }
        check(::ext2fs_write_dir_block4(fs_, extent.physical + i, block.data(), 0, numbers_[index]),
              "writing a directory");
      }
    }
  }

  void write_link(const ExtNode& node, const FileExtent& place) {
    std::string block = node.link;
    block.resize(fs_->blocksize);
    check(::io_channel_write_blk64(fs_->io, place.physical, 1, block.data()), "writing a symbolic link");
  }

  void write_attributes(const ExtNode& node, ext2_ino_t number) {
    ext2_xattr_handle* handle = nullptr;
    check(::ext2fs_xattrs_open(fs_, number, &handle), "writing extended attributes");
    const auto close = [](ext2_xattr_handle* open) { ::ext2fs_xattrs_close(&open); };
    const std::unique_ptr<ext2_xattr_handle, decltype(close)> owner(handle, close);
    for (const auto& [name, value] : node.attributes) {
      const errcode_t code = ::ext2fs_xattr_set(handle, name.c_str(), value.data(), value.size());
      check(code, cat("writing the attribute ", name, " of /", node.path));
    }
  }

  const fs::path& image_;
  const Extent& extent_;
  const fs::path& source_;
  ExtFileSystem opened_;
  ext2_filsys fs_;
  ext2_ino_t lost_ = 0;
  std::vector<ExtNode> nodes_;
  std::vector<ext2_ino_t> numbers_;
  std::vector<std::vector<FileExtent>> extents_;
};

}  // namespace

bool can_fill_ext(const fs::path& image, const Extent& extent, const fs::path& source) {
  constexpr std::uint32_t known_incompat = EXT2_FEATURE_INCOMPAT_FILETYPE | EXT3_FEATURE_INCOMPAT_EXTENTS |
                                           EXT4_FEATURE_INCOMPAT_64BIT | EXT4_FEATURE_INCOMPAT_FLEX_BG |
                                           EXT4_FEATURE_INCOMPAT_CSUM_SEED;
  constexpr std::uint32_t unknown_ro_compat = EXT4_FEATURE_RO_COMPAT_BIGALLOC | EXT4_FEATURE_RO_COMPAT_QUOTA |
                                              EXT4_FEATURE_RO_COMPAT_PROJECT | EXT4_FEATURE_RO_COMPAT_VERITY;
  if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || fs::exists(source / std::string(k_lost))) return false;
  const ExtFileSystem opened(image, extent.offset);
  const ext2_super_block& super = *opened.get()->super;
  const bool needed = (super.s_feature_incompat & EXT3_FEATURE_INCOMPAT_EXTENTS) != 0 &&
                      (super.s_feature_incompat & EXT2_FEATURE_INCOMPAT_FILETYPE) != 0 &&
                      opened.get()->blocksize < 65536;
  return needed && (super.s_feature_incompat & ~known_incompat) == 0 &&
         (super.s_feature_ro_compat & unknown_ro_compat) == 0;
}

void fill_ext(const fs::path& image, const Extent& extent, const fs::path& source) {
  (void)ExtFiller(image, extent, source).run(true);
}

std::vector<FilePiece> lay_out_ext(const fs::path& image, const Extent& extent, const fs::path& source) {
  return ExtFiller(image, extent, source).run(false);
}

}  // namespace hearth::builder
