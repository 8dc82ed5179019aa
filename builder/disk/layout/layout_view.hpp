// A layout as a tree that people and programs read: the disk, its partitions, what lies in each, down to mount points.
// hearth image layout draws it; hearth image inspect draws what it finds in a file the same way. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// A disk, partition, volume or file system, with what lies in it.
struct LayoutNode {
  std::string kind;  ///< disk partition raid luks lvm-group lvm-volume ext4 xfs vfat swap…
  std::string name;
  std::optional<std::uint64_t> offset;                     ///< on the disk, where that has a meaning
  std::optional<std::uint64_t> bytes;                      ///< nothing when it is not known yet
  std::vector<std::pair<std::string, std::string>> facts;  ///< label, uuid, mount, type…, in order
  std::vector<LayoutNode> children;
};

/// `placement` may be missing (the size of the disk follows from the tree): then the sizes as they are written.
[[nodiscard]] LayoutNode layout_tree(const DiskLayout& layout, const std::optional<Placement>& placement);

/// `room`: columns that it may be wide (0: any number).
[[nodiscard]] std::string layout_text(const LayoutNode& disk, bool unicode, std::size_t room = 0);
[[nodiscard]] nlohmann::ordered_json layout_json(const LayoutNode& disk);
[[nodiscard]] std::string layout_svg(const LayoutNode& disk);

}  // namespace hearth::builder
