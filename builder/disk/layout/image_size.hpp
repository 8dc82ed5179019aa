// How large an image has to be: the field's rule from the tree's size, and a lower bound that is checked before
// anything is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/path.hpp"
#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// What a tree takes up. Counted from sizes, not from the host's blocks, so that copies on other file systems agree.
struct TreeUsage {
  std::uint64_t bytes = 0;   ///< files rounded up to 4 KiB (holes left out), directories by their entries
  std::uint64_t inodes = 0;  ///< hard links count once
  std::uint64_t directories = 0;
  bool operator==(const TreeUsage&) const = default;
};

/// Walks `tree` without leaving its file system (as du -x); `without` are directories left out (other mount points).
[[nodiscard]] TreeUsage measure_tree(const fs::path& tree, const std::vector<fs::path>& without = {});

struct SizeRule {
  std::optional<double> image_gib;  ///< --image-size
  std::optional<double> extra_gib;  ///< --image-extra-size
  std::uint64_t journal_mib = 64;   ///< --mkfs-journal-size
};

/// Bytes of the disk: the layout's own size, or the rule. Given: trunc(GiB). Else the tree plus the extra GiB, or
/// divided by 0.6; plus the journal when the root is ext4; plus 525 MiB when the layout has an EFI system partition;
/// rounded up to 64 KiB. (The 525 MiB also come on top of a given size, as in the field.)
[[nodiscard]] std::uint64_t image_size(const TreeUsage& usage, const SizeRule& rule, const DiskLayout& layout);

/// Words for mkfs of an ext4 root: inode ratio, journal size, room to grow (blocks, may be missing), then the user's.
[[nodiscard]] std::string root_mkfs_options(const std::string& type, std::uint64_t journal_mib,
                                            const std::optional<std::uint64_t>& max_online_resize,
                                            const std::string& user_options);

/// The least bytes that a file system of this kind needs to hold `usage`: data, inode tables, journal, bitmaps.
[[nodiscard]] std::uint64_t least_size(const DiskFileSystem& file_system, const TreeUsage& usage);

/// Throws Error(input), saying what is needed, when a file system of the placed layout can't hold its part of the tree.
/// `whole` is what measure_tree() says of all of it.
void require_room(const fs::path& tree, const TreeUsage& whole, const DiskLayout& layout, const Placement& placement);

}  // namespace hearth::builder
