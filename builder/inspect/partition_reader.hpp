// Partition tables as they are found on a disk (the formats: builder/disk/layout/partition_table.hpp). Pure over a
// reader of bytes; nothing that is read is trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// Up to `count` bytes at `offset`; fewer at the end of the disk.
using ReadBytes = std::function<std::string(std::uint64_t offset, std::size_t count)>;

struct FoundPartition {
  std::uint32_t number = 0;
  Extent extent;
  std::string type;  ///< GUID, or two hexadecimal digits
  std::string name;  ///< GPT only
  std::string guid;  ///< GPT only
  bool boot = false;
  bool operator==(const FoundPartition&) const = default;
};

struct FoundTable {
  PartitionTable table = PartitionTable::none;
  std::uint32_t sector_size = 512;
  std::string id;
  bool boot_code = false;  ///< the first sector holds a program for the BIOS
  std::vector<FoundPartition> partitions;
};

[[nodiscard]] FoundTable read_partition_table(const ReadBytes& read);

/// What begins at an offset: a file system, or a volume's header.
struct Signature {
  std::string type;  ///< ext4 xfs btrfs vfat swap squashfs iso9660 crypto_LUKS LVM2_member linux_raid_member; or empty
  std::string label;
  std::string uuid;
  bool operator==(const Signature&) const = default;
};

[[nodiscard]] Signature read_signature(const ReadBytes& read, const Extent& extent);

}  // namespace hearth::builder
