#include "builder/disk/layout/image_size.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_block = 4096;
constexpr std::uint64_t k_image_size_mib = 1 << 20;
constexpr std::uint64_t k_before_root = 10 * k_image_size_mib;  // tables, alignment, a BIOS boot partition

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// Bytes of the data ranges of a file with holes.
std::uint64_t data_bytes(const fs::path& path) {
  const Fd file = Fd::open(path.string(), O_RDONLY | O_NOFOLLOW);
  std::uint64_t total = 0;
  off_t data = ::lseek(file.get(), 0, SEEK_DATA);
  while (data >= 0) {
    const off_t hole = ::lseek(file.get(), data, SEEK_HOLE);
    if (hole < 0) break;
    total += round_up(static_cast<std::uint64_t>(hole - data), k_block);
    data = ::lseek(file.get(), hole, SEEK_DATA);
  }
  return total;
}

/// Goes by names in open directories: walking down a long path for each file would take most of the time.
class Measurer {
 public:
  explicit Measurer(const std::vector<fs::path>& without) : without_(without.begin(), without.end()) {}

  TreeUsage measure(const fs::path& tree) {
    struct stat root {};
    if (::stat(tree.c_str(), &root) != 0) throw Error::from_errno("reading", tree.string());
    device_ = root.st_dev;
    add_directory(tree);
    return usage_;
  }

 private:
  void add_directory(const fs::path& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
    if (!directory) throw Error::from_errno("reading", path.string());
    std::uint64_t entries = 24;
    for (const dirent* entry = next(directory.get(), path); entry != nullptr; entry = next(directory.get(), path)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      entries += 8 + round_up(name.size(), 4);
      add(::dirfd(directory.get()), path, entry->d_name);
    }
    usage_.inodes += 1;
    usage_.directories += 1;
    usage_.bytes += round_up(entries, k_block);
  }

  static const dirent* next(DIR* directory, const fs::path& path) {
    errno = 0;
    const dirent* const entry = ::readdir(directory);
    if (entry == nullptr && errno != 0) throw Error::from_errno("reading", path.string());
    return entry;
  }

  void add(int directory, const fs::path& path, const char* name) {
    struct stat status {};
    if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      throw Error::from_errno("reading", (path / name).string());
    }
    if (S_ISDIR(status.st_mode)) {
      if (status.st_dev == device_ && !without_.contains(path / name)) add_directory(path / name);
      return;
    }
    if (status.st_nlink > 1 && !seen_.insert(status.st_ino).second) return;
    usage_.inodes += 1;
    if (S_ISREG(status.st_mode)) usage_.bytes += file_bytes(path / name, status);
    if (S_ISLNK(status.st_mode) && status.st_size >= 60) usage_.bytes += k_block;
  }

  static std::uint64_t file_bytes(const fs::path& path, const struct stat& status) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const bool may_have_holes = static_cast<std::uint64_t>(status.st_blocks) * 512 < size;
    return may_have_holes ? data_bytes(path) : round_up(size, k_block);
  }

  std::set<fs::path> without_;
  std::set<ino_t> seen_;
  dev_t device_ = 0;
  TreeUsage usage_;
};

/// The value behind an option ("-i 4096", also "-i4096"), or nothing.
std::optional<std::string> option_value(const std::vector<std::string>& words, std::string_view option) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(option) && words[i].size() > option.size()) return words[i].substr(option.size());
  }
  return std::nullopt;
}

/// Bytes per inode, as mke2fs will use them with our mke2fs.conf.
std::uint64_t inode_ratio(const DiskFileSystem& file_system) {
  const auto given = parse_number(option_value(file_system.options, "-i").value_or(""));
  return given && *given >= 1024 ? *given : 16384;
}

std::uint64_t journal_bytes(const DiskFileSystem& file_system, std::uint64_t data) {
  if (file_system.type == "ext2") return 0;
  const std::string given = option_value(file_system.options, "-J").value_or("");
  if (given.starts_with("size=")) {
    if (const auto mib = parse_number(given.substr(5))) return *mib * k_image_size_mib;
  }
  if (data < 128 * k_image_size_mib) return 4 * k_image_size_mib;  // mke2fs' own steps
  if (data < 1024 * k_image_size_mib) return 16 * k_image_size_mib;
  return data < 2048 * k_image_size_mib ? 32 * k_image_size_mib : 64 * k_image_size_mib;
}

/// Data, journal and inode tables; each block group of 128 MiB has two bitmaps, and some hold group descriptors.
std::uint64_t least_ext(const DiskFileSystem& file_system, const TreeUsage& usage) {
  constexpr double inode_bytes = 256;
  constexpr double group_share = 3.0 * 4096 / (128.0 * 1024 * 1024);
  const std::uint64_t data =
      usage.bytes + 2 * k_image_size_mib;  // superblocks, descriptors with room to grow, lost+found
  const double fixed = static_cast<double>(data + journal_bytes(file_system, data));
  const double table_share = inode_bytes / static_cast<double>(inode_ratio(file_system));
  const double by_data = fixed / (1.0 - table_share - group_share);
  const double by_inodes = static_cast<double>((usage.inodes + 11) * inode_ratio(file_system));
  // mke2fs refuses a journal of more than half of the blocks that inode tables leave.
  const double by_journal = (2.0 * static_cast<double>(journal_bytes(file_system, data)) + 2.0 * k_image_size_mib) /
                            (1.0 - table_share - group_share);
  return round_up(static_cast<std::uint64_t>(std::max({by_data, by_inodes, by_journal})), k_block);
}

/// Of the size that is asked for: room for an EFI system partition, as in the field.
std::uint64_t bytes_on_top(const DiskLayout& layout) {
  const bool has_esp = std::any_of(layout.partitions.begin(), layout.partitions.end(),
                                   [](const Partition& each) { return each.type == k_esp_type || each.type == "ef"; });
  return has_esp && !layout.size ? 525 * k_image_size_mib : 0;
}

std::uint64_t rule_kib(const TreeUsage& usage, const SizeRule& rule, bool ext4_root) {
  constexpr double kib_per_gib = 1024.0 * 1024.0;
  if (rule.image_gib) return static_cast<std::uint64_t>(*rule.image_gib * kib_per_gib);
  const std::uint64_t tree = usage.bytes / 1024;
  const std::uint64_t journal = ext4_root ? rule.journal_mib * 1024 : 0;
  if (rule.extra_gib) return tree + static_cast<std::uint64_t>(*rule.extra_gib * kib_per_gib) + journal;
  return static_cast<std::uint64_t>(static_cast<double>(tree) / 0.6) + journal;
}

/// What a file system has to hold.
struct RoomNeed {
  const DiskFileSystem* file_system;
  std::uint64_t bytes;
};

bool has_room(const DiskLayout& layout, std::uint64_t disk_bytes, const std::vector<RoomNeed>& needs) try {
  const Placement placement = place(layout, disk_bytes);
  return std::all_of(needs.begin(), needs.end(),
                     [&](const RoomNeed& need) { return placement.of(*need.file_system).length >= need.bytes; });
} catch (const Error&) {  // the partitions alone are larger
  return false;
}

/// The least size of the disk that is enough, where `too_small` is not; nothing where no disk is, since the layout says
/// how large the file system is.
std::optional<std::uint64_t> enough_mib(const DiskLayout& layout, std::uint64_t too_small,
                                        const std::vector<RoomNeed>& needs) {
  constexpr std::uint64_t most = std::uint64_t{1} << 24;  // 16 TiB
  std::uint64_t low = too_small / k_image_size_mib;
  std::uint64_t high = low + 1;
  while (!has_room(layout, high * k_image_size_mib, needs)) {
    if (high > most) return std::nullopt;
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (has_room(layout, middle * k_image_size_mib, needs) ? high : low) = middle;
  }
  return high;
}

std::string advice(const DiskLayout& layout, std::uint64_t disk_bytes, const std::vector<RoomNeed>& needs) {
  const std::optional<std::uint64_t> enough = enough_mib(layout, disk_bytes, needs);
  if (!enough) return "The layout gives it that size: make its partition or volume larger there.";
  if (layout.size) return cat("The layout gives the disk its size: make it ", *enough, "MiB there, or more.");
  return cat("Give --image-size ", *enough - bytes_on_top(layout) / k_image_size_mib, "MiB, or more.");
}

}  // namespace

TreeUsage measure_tree(const fs::path& tree, const std::vector<fs::path>& without) {
  return Measurer(without).measure(tree);
}

std::uint64_t image_size(const TreeUsage& usage, const SizeRule& rule, const DiskLayout& layout) {
  if (layout.size) return *layout.size;
  const DiskFileSystem* const root = layout.mounted_at("/");
  const bool ext4 = root != nullptr && root->type == "ext4";
  std::uint64_t kib = rule_kib(usage, rule, ext4);
  // Of a small tree the rule's disk would not hold the journal, or the partitions before the file system.
  if (ext4 && !rule.image_gib) kib = std::max(kib, (least_size(*root, usage) + k_before_root) / 1024);
  return round_up(kib + bytes_on_top(layout) / 1024, 64) * 1024;
}

std::string root_mkfs_options(const std::string& type, std::uint64_t journal_mib,
                              const std::optional<std::uint64_t>& max_online_resize, const std::string& user_options) {
  std::vector<std::string> words;
  if (type == "ext4" && max_online_resize) words = {"-E", cat("resize=", *max_online_resize)};
  if (type == "ext4") words.insert(words.end(), {"-i", "4096", "-J", cat("size=", journal_mib)});
  if (!trim(user_options).empty()) words.emplace_back(trim(user_options));
  return join(words, " ");
}

std::uint64_t least_size(const DiskFileSystem& file_system, const TreeUsage& usage) {
  if (file_system.is_ext()) return least_ext(file_system, usage);
  if (file_system.is_fat()) return usage.bytes + (256 << 10);
  if (file_system.type == "btrfs") return usage.bytes + usage.bytes / 16 + 112 * k_image_size_mib;
  // mkfs.xfs makes nothing smaller than 300 MiB, and a log of 64 MiB.
  if (file_system.type == "xfs") return std::max(300 * k_image_size_mib, usage.bytes + 64 * k_image_size_mib);
  return 40 << 10;
}

void require_room(const fs::path& tree, const TreeUsage& whole, const DiskLayout& layout, const Placement& placement) {
  std::vector<RoomNeed> needs;
  for (const DiskFileSystem& file_system : layout.file_systems) {
    if (!file_system.holds_files()) continue;
    const TreeReader files(tree);
    const auto place = [&](const std::string& point) {
      return files.host_path(point).value_or(GuestPath(point).in(tree));  // what is not there yet holds nothing
    };
    std::vector<fs::path> others;
    for (const std::string& point : layout.mounts_below(file_system.mount_point)) {
      others.push_back(place(point));
    }
    const fs::path part = place(file_system.mount_point);
    const bool has_all = file_system.mount_point == "/" && others.empty();
    needs.push_back({&file_system, least_size(file_system, has_all ? whole : measure_tree(part, others))});
  }
  for (const auto& [file_system, need] : needs) {
    const std::uint64_t have = placement.of(*file_system).length;
    if (need <= have) continue;
    throw Error(ErrorKind::input,
                cat("the files for ", file_system->mount_point, " need at least ", human_bytes(need), " (", need,
                    " bytes), the file system ", file_system->name, " has only ", human_bytes(have)))
        .hint(advice(layout, placement.disk_bytes, needs));
  }
}

}  // namespace hearth::builder
