// Partitions on a disk, for an image of a single file system.
#pragma once

#include <functional>
#include <string>

#include "agent/deploy/disk/layout.hpp"
#include "agent/deploy/hardware/disks.hpp"

namespace hearth::agent::deploy {

/// What was made of a layout.
struct MadeParts {
  std::string root;  ///< device, still without a file system
  std::string esp;   ///< device; empty without UEFI
  std::string esp_uuid;
  std::string root_uuid;  ///< of the file system that an image brought; filled in by whoever wrote it
  std::string root_type;
};

/// "vfat", "ext4" … onto a device, by the ramdisk's programs.
using FileSystemMaker =
    std::function<void(const std::string& type, const std::string& device, const std::string& label)>;

/// Writes the partition table, swap's header, and the file systems of the EFI system partition and of scratch space
/// (unless that is to be kept). Throws Error.
[[nodiscard]] MadeParts make_parts(const Disk& disk, const PartitionWish& wish, bool drive,
                                   const FileSystemMaker& make_file_system);

/// The first bytes of a device, as find_file_system() wants them.
[[nodiscard]] std::string head_of(const std::string& device);

}  // namespace hearth::agent::deploy
