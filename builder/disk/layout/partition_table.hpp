// The bytes of MBR and GPT partition tables. Pure: a table is a list of pieces to be written at offsets.
//
// MBR (sector of 512 bytes, little-endian): 0x1b8 disk id (4), 0x1be four entries of 16 bytes, 0x1fe 55 aa.
//   Entry: 0 boot flag 0x80 | 1 first CHS (3) | 4 type | 5 last CHS (3) | 8 first sector (4) | 12 sectors (4).
//   Logical partitions: an extended entry (type 0f) and a chain of such sectors inside it, each with the logical
//   partition (relative to the link sector) and the next link (type 05, relative to the extended partition).
// GPT: UEFI specification 2.10, chapter 5.3: protective MBR, header at LBA 1, 128 entries of 128 bytes behind it; both
//   once more at the disk's end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

struct DiskPiece {
  std::uint64_t offset = 0;
  std::string bytes;
};

/// The partition table of a layout whose ids are assigned; empty when it has none.
[[nodiscard]] std::vector<DiskPiece> partition_table(const DiskLayout& layout, const Placement& placement);

}  // namespace hearth::builder
