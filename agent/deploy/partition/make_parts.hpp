// Partitions on a disk, for an image of a single file system.
#pragma once

#include <string>

#include "agent/deploy/machine.hpp"
#include "agent/deploy/partition/layout.hpp"

namespace hearth::agent::deploy {

/// What was made of a layout.
struct MadeParts {
  std::string root;  ///< device, still without a file system
  std::string esp;   ///< device; empty without UEFI
  std::string esp_uuid;
  std::string root_uuid;  ///< of the file system that an image brought; filled in by whoever wrote it
  std::string root_type;
};

/// Writes the partition table, swap's header, and the file systems of the EFI system partition and of scratch space
/// (unless that is to be kept). Throws Error.
[[nodiscard]] MadeParts make_parts(const Disk& disk, const PartitionWish& wish, bool drive, Machine& machine);

/// The first bytes of a device, as find_file_system() wants them.
[[nodiscard]] std::string head_of(const std::string& device);

}  // namespace hearth::agent::deploy
