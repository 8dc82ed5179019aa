// Where everything of a DiskLayout lies on a disk of a known size. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "builder/disk/layout/layout.hpp"

namespace hearth::builder {

/// A range of bytes on the disk.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  [[nodiscard]] std::uint64_t end() const { return offset + length; }
  bool operator==(const Extent&) const = default;
};

struct Placement {
  std::uint64_t disk_bytes = 0;
  std::vector<Extent> partitions;                ///< one for each of DiskLayout::partitions
  std::vector<std::uint32_t> numbers;            ///< their numbers: 1… ; MBR logical ones from 5 on
  std::optional<Extent> extended;                ///< MBR: the extended partition
  std::vector<std::uint64_t> ebr_offsets;        ///< MBR: the link sector before each logical partition, in order
  std::map<std::string, std::uint64_t> volumes;  ///< bytes of each array, encrypted and logical volume
  std::map<std::string, std::uint64_t> extents;  ///< LVM's extents of "GROUP/VOLUME"
  bool operator==(const Placement&) const = default;

  /// Where a file system of the layout lies on the disk; for one on a volume, its length from 0 on.
  [[nodiscard]] Extent of(const DiskFileSystem& file_system) const;
};

/// Places the partitions one behind the other. GPT: sizes in whole MiB from 1 MiB on, the last MiB is left free. MBR:
/// starts at multiples of `align`, sizes as given, one `align` before each logical partition for its link sector.
/// A percentage is a share of what is free when its turn comes. A partition with a begin of its own begins there, not
/// before the end of the one ahead of it. Volumes get their sizes by volume_sizes(). Throws Error(input) when something
/// doesn't fit.
[[nodiscard]] Placement place(const DiskLayout& layout, std::uint64_t disk_bytes);

}  // namespace hearth::builder
