// Where the partitions lie that an image of a single file system needs (Ironic's partition images): an EFI system
// partition or room for GRUB, scratch space, swap, and the root file system last, so that it can grow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hearth::agent::deploy {

/// What the conductor wants (image_info: root_mb, swap_mb, ephemeral_mb, ephemeral_format, preserve_ephemeral,
/// disk_label).
struct PartitionWish {
  std::uint64_t root_mib = 0;
  std::uint64_t swap_mib = 0;
  std::uint64_t ephemeral_mib = 0;
  std::string ephemeral_format = "ext4";
  bool preserve_ephemeral = false;  ///< what is there stays: the partitions must lie where they lay
  bool uefi = false;
  bool gpt = false;  ///< always with UEFI
};

enum class Part { esp, bios_boot, ephemeral, swap, root };

struct PlannedPart {
  Part part = Part::root;
  std::uint32_t number = 0;
  std::uint64_t first = 0;  ///< sectors
  std::uint64_t sectors = 0;
};

struct PartLayout {
  bool gpt = false;
  std::uint32_t sector = 512;
  std::uint64_t disk_sectors = 0;
  std::vector<PlannedPart> parts;

  /// Null when there is none.
  [[nodiscard]] const PlannedPart* find(Part wanted) const;
};

/// Throws Error(input) when the disk is too small; with `drive` a config drive must fit behind them.
[[nodiscard]] PartLayout plan_parts(const PartitionWish& wish, std::uint64_t disk_bytes, std::uint32_t sector,
                                    bool drive);

/// What to write: the disk's first sectors and, with a GPT, its last ones.
struct TableBytes {
  std::string front;
  std::uint64_t back_sector = 0;
  std::string back;
};
/// `random` gives the GPT's and its partitions' ids, or the boot sector's: 16 bytes for each call, in hexadecimal.
[[nodiscard]] TableBytes encode_parts(const PartLayout& layout, std::string (*random)(std::size_t bytes));

}  // namespace hearth::agent::deploy
