// How large the volumes of a layout become. Pure: the sizes of the partitions in, bytes of every device out. guest_plan
// asks the tools for exactly these sizes (offsets and extents are given, never left to them).
#pragma once

#include <map>
#include <string>

#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// Extents of every logical volume, by "GROUP/NAME"; a thin pool's own data, without its metadata.
using VolumeExtents = std::map<std::string, std::uint64_t>;

struct VolumeSizes {
  std::map<std::string, std::uint64_t> bytes;  ///< arrays, encrypted and logical volumes, by name
  VolumeExtents extents;
};

/// Throws Error(input) when a group can't hold its volumes, or a base is too small.
[[nodiscard]] VolumeSizes volume_sizes(const DiskLayout& layout, const std::vector<Extent>& partitions);

/// Bytes of the metadata of a thin pool of `pool` bytes in chunks of 64 KiB; as much again is kept spare.
[[nodiscard]] std::uint64_t thin_metadata_bytes(std::uint64_t pool);

}  // namespace hearth::builder
