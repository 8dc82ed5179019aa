#include "builder/disk/xfs/xfs_finish.hpp"

#include <algorithm>
#include <array>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/data_ranges.hpp"
#include "builder/disk/xfs/xfs_image.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_core = 176;  // of an inode of version 3; what follows are its forks
constexpr std::size_t k_mode = 2, k_format = 5, k_owner = 8, k_group = 12, k_links = 16, k_size = 56, k_blocks = 64;
constexpr std::size_t k_fork_offset = 82, k_attribute_format = 83, k_flags = 90, k_flags2 = 120;
constexpr std::array<std::size_t, 4> k_times = {32, 40, 48, 144};
constexpr std::uint64_t k_big_times = 8;  // in k_flags2
constexpr std::int64_t k_big_epoch = std::int64_t{1} << 31;
constexpr std::int64_t k_second = 1'000'000'000;

enum ForkFormat : std::uint8_t { device = 0, local = 1, extents = 2, tree = 3 };

/// Nanoseconds since 1901-12-13 where the inode says so; else seconds and nanoseconds since 1970.
void set_times(std::string& inode, std::int64_t seconds) {
  const bool big = (get_be(inode, k_flags2, 8) & k_big_times) != 0;
  const auto time = static_cast<std::uint64_t>(big ? (seconds + k_big_epoch) * k_second : seconds);
  for (const std::size_t at : k_times) put_be(inode, at, big ? time : time << 32U, 8);
}

/// The least room that the kernel's own rules leave to what is there already.
std::size_t room_for_data(const std::string& inode) {
  constexpr std::size_t least = 56;  // the root of an extent tree, which a growing file may need
  switch (get_be(inode, k_format, 1)) {
    case device: return 8;
    case local: return std::max<std::size_t>(least, (get_be(inode, k_size, 8) + 7) / 8 * 8);
    case extents: return std::max<std::size_t>(least, xfs_extent_count(inode) * 16);
    default: return std::max<std::size_t>(least, 4 + get_be(inode, k_core + 2, 2) * 16);
  }
}

/// The pointers of an extent tree's root lie behind as many keys as its fork has room for.
void move_tree_pointers(std::string& inode, std::size_t room) {
  const std::size_t count = get_be(inode, k_core + 2, 2);
  const std::size_t before = k_core + 4 + (inode.size() - k_core - 4) / 16 * 8;
  const std::size_t after = k_core + 4 + (room - 4) / 16 * 8;
  const std::string pointers = inode.substr(before, count * 8);
  inode.replace(after, pointers.size(), pointers);
}

void add_attributes(std::string& inode, const XfsNode& node) {
  constexpr std::size_t least = 40;  // what the kernel leaves to attributes that grow
  const std::size_t forks = inode.size() - k_core;
  const std::size_t for_data = room_for_data(inode);
  const std::optional<std::string> fork =
      for_data > forks ? std::nullopt : xfs_attribute_fork(node.attributes, forks - for_data);
  if (!fork) {
    throw Error(ErrorKind::unsupported,
                cat("the extended attributes of ", node.path.string(), " don't fit into an inode of XFS"))
        .hint("--disk-maker guestfs makes it.");
  }
  if (fork->empty()) return;
  const bool is_device = get_be(inode, k_format, 1) == device;  // its offset is always the same
  const std::size_t room = is_device ? for_data : forks - std::max(least, (fork->size() + 7) / 8 * 8);
  if (get_be(inode, k_format, 1) == tree) move_tree_pointers(inode, std::min(room, forks));
  inode.replace(k_core + room, forks - room, forks - room, '\0');
  inode.replace(k_core + room, fork->size(), *fork);
  put_be(inode, k_fork_offset, room / 8, 1);
  put_be(inode, k_attribute_format, local, 1);
}

class Finisher {
 public:
  Finisher(const fs::path& file, std::int64_t epoch)
      : image_(XfsImage::open(file)), epoch_(std::max<std::int64_t>(epoch, 0)) {}

  void run(const XfsNode& root) {
    count_links(root);
    finish(root, image_.root());
    for (const XfsNumber number : image_.own_inodes()) {
      std::string inode = image_.read_inode(number);
      set_times(inode, epoch_);
      image_.write_inode(number, std::move(inode));
    }
    image_.give_back(std::move(spare_));
    image_.clear_generations();
    if (attributes_) image_.announce_attributes();
  }

 private:
  using Source = std::pair<dev_t, ino_t>;
  struct First {
    XfsNumber number = 0;
    char kind = 0;
  };
  static Source source_of(const XfsNode& node) { return {node.status.st_dev, node.status.st_ino}; }

  void count_links(const XfsNode& node) {
    for (const XfsNode& child : node.children) {
      if (!child.is_directory()) ++links_[source_of(child)];
      count_links(child);
    }
  }

  void finish(const XfsNode& node, XfsNumber number) {
    std::string inode = image_.read_inode(number);
    if (node.is_directory()) finish_entries(node, inode);
    require_whole(node, inode);
    put_be(inode, k_mode, node.status.st_mode & 0177777U, 2);
    put_be(inode, k_owner, node.status.st_uid, 4);
    put_be(inode, k_group, node.status.st_gid, 4);
    if (!node.is_directory()) put_be(inode, k_links, links_[source_of(node)], 4);
    put_be(inode, k_flags, 0, 2);  // "preallocated", it says of all files
    if (node.all_hole) put_be(inode, k_size, static_cast<std::uint64_t>(node.status.st_size), 8);
    if (!node.target.empty()) inode.replace(k_core, node.target.size(), node.target);
    set_times(inode, std::min<std::int64_t>(node.status.st_mtim.tv_sec, epoch_));
    if (!node.attributes.empty()) {
      add_attributes(inode, node);
      attributes_ = attributes_ || get_be(inode, k_fork_offset, 1) != 0;
    }
    image_.write_inode(number, std::move(inode));
  }

  /// Older ones of mkfs.xfs give each file one extent with its holes, and where none is as long, they write what is
  /// left over other things. Newer ones leave the holes out.
  void require_whole(const XfsNode& node, const std::string& inode) const {
    if (!S_ISREG(node.status.st_mode) || node.all_hole) return;
    const std::uint64_t count = get_be(inode, k_blocks, 8);
    if (count == blocks_to(static_cast<std::uint64_t>(node.status.st_size)) || count == data_blocks(node.path)) return;
    throw Error(ErrorKind::input, cat("the XFS has no room in one piece for ", node.path.string()))
        .hint("Give a larger --image-size.");
  }

  [[nodiscard]] std::uint64_t blocks_to(std::uint64_t end) const {
    return (end + image_.block_size() - 1) / image_.block_size();
  }
  [[nodiscard]] std::uint64_t data_blocks(const fs::path& file) const {
    std::uint64_t count = 0;
    for (const Extent& range : data_ranges(file, 0))
      count += blocks_to(range.end()) - range.offset / image_.block_size();
    return count;
  }

  void finish_entries(const XfsNode& node, std::string& inode) {
    XfsDirectory directory = image_.read_directory(inode);
    for (const XfsNode& child : node.children) {
      const XfsDirectory::Entry& entry = directory.entry(child.told);
      if (child.hard_link) {
        const First& first = first_.at(source_of(child));
        spare_.push_back(entry.inode);
        directory.point_to(entry, first.number, first.kind, child.name.size());
      } else {
        if (!child.is_directory() && child.status.st_nlink > 1) {
          first_[source_of(child)] = {entry.inode, directory.kind_of(entry, child.name.size())};
        }
        finish(child, entry.inode);
      }
      if (child.name != child.told) directory.rename(entry, child.name);
    }
    image_.write_directory(directory, inode);
  }

  XfsImage image_;
  std::int64_t epoch_;
  std::map<Source, std::uint64_t> links_;
  std::map<Source, First> first_;
  std::vector<XfsNumber> spare_;
  bool attributes_ = false;
};

}  // namespace

void finish_xfs(const fs::path& file, const XfsNode& root, std::int64_t epoch) { Finisher(file, epoch).run(root); }

}  // namespace hearth::builder
