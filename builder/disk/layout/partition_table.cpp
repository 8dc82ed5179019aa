#include "builder/disk/layout/partition_table.hpp"

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/crc.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/uuid.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_mbr_sector = 512;
constexpr std::size_t k_gpt_entries = 128;
constexpr std::size_t k_gpt_entry_size = 128;
constexpr std::size_t k_gpt_header_size = 92;

/// Cylinder, head and sector as old firmware expects them; capped where a disk is too large for them.
void put_chs(std::string& bytes, std::size_t at, std::uint64_t sector) {
  constexpr std::uint64_t heads = 254;
  constexpr std::uint64_t sectors = 63;
  std::uint64_t cylinder = sector / (heads * sectors);
  std::uint64_t head = sector / sectors % heads;
  std::uint64_t in_track = sector % sectors + 1;
  if (cylinder > 1023) {
    cylinder = 1023;
    head = heads;
    in_track = sectors;
  }
  put_le(bytes, at, head, 1);
  put_le(bytes, at + 1, in_track | ((cylinder >> 8U) << 6U), 1);
  put_le(bytes, at + 2, cylinder & 0xffU, 1);
}

struct MbrEntry {
  std::uint64_t start = 0;     ///< as written, in sectors; relative for logical partitions and links
  std::uint64_t length = 0;    ///< sectors
  std::uint64_t absolute = 0;  ///< first sector on the disk, for CHS
  std::uint8_t type = 0;
  bool boot = false;
};

void put_mbr_entry(std::string& bytes, std::size_t slot, const MbrEntry& entry) {
  const std::size_t at = 0x1be + 16 * slot;
  put_le(bytes, at, entry.boot ? 0x80U : 0U, 1);
  put_chs(bytes, at + 1, entry.absolute);
  put_le(bytes, at + 4, entry.type, 1);
  put_chs(bytes, at + 5, entry.absolute + entry.length - 1);
  put_le(bytes, at + 8, std::min<std::uint64_t>(entry.start, UINT32_MAX), 4);
  put_le(bytes, at + 12, std::min<std::uint64_t>(entry.length, UINT32_MAX), 4);
}

std::string empty_mbr() {
  std::string bytes(k_mbr_sector, '\0');
  put_le(bytes, 0x1fe, 0xaa55, 2);
  return bytes;
}

MbrEntry entry_of(const Extent& extent, std::uint64_t relative_to, std::uint8_t type, bool boot) {
  return {.start = (extent.offset - relative_to) / k_mbr_sector,
          .length = extent.length / k_mbr_sector,
          .absolute = extent.offset / k_mbr_sector,
          .type = type,
          .boot = boot};
}

std::uint8_t hex_byte(const std::string& text) { return static_cast<std::uint8_t>(std::stoul(text, nullptr, 16)); }

/// One link sector: its logical partition and, unless it is the last, the link to the next.
DiskPiece link_sector(const Partition& partition, const Extent& data, const Placement& placement, std::size_t index) {
  const std::uint64_t here = placement.ebr_offsets[index];
  DiskPiece piece{here, empty_mbr()};
  put_mbr_entry(piece.bytes, 0, entry_of(data, here, hex_byte(partition.type), partition.boot));
  if (index + 1 < placement.ebr_offsets.size()) {
    const std::uint64_t next = placement.ebr_offsets[index + 1];
    const std::uint64_t after =
        index + 2 < placement.ebr_offsets.size() ? placement.ebr_offsets[index + 2] : placement.extended->end();
    put_mbr_entry(piece.bytes, 1, entry_of({next, after - next}, placement.extended->offset, 0x05, false));
  }
  return piece;
}

std::vector<DiskPiece> mbr_table(const DiskLayout& layout, const Placement& placement) {
  std::vector<DiskPiece> pieces = {{0, empty_mbr()}};
  std::size_t links = 0;
  for (std::size_t i = 0; i < layout.partitions.size(); ++i) {
    const Partition& partition = layout.partitions[i];
    const Extent& extent = placement.partitions[i];
    if (partition.primary) {
      put_mbr_entry(pieces[0].bytes, placement.numbers[i] - 1,
                    entry_of(extent, 0, hex_byte(partition.type), partition.boot));
    } else {
      pieces.push_back(link_sector(partition, extent, placement, links++));
    }
  }
  if (placement.extended) {
    const std::size_t slot = layout.partitions.size() - links;
    put_mbr_entry(pieces[0].bytes, slot, entry_of(*placement.extended, 0, 0x0f, false));
  }
  put_le(pieces[0].bytes, 0x1b8, std::stoul(layout.disk_id, nullptr, 16), 4);
  return pieces;
}

/// As many whole characters as 36 units of UTF-16 hold.
std::string utf16_name(std::string_view name) {
  constexpr std::size_t k_room = 72;
  std::string bytes;
  const auto add = [&](char32_t unit) {
    bytes.push_back(static_cast<char>(unit & 0xffU));
    bytes.push_back(static_cast<char>(unit >> 8U));
  };
  while (!name.empty()) {
    const DecodedCharacter next = decode_utf8(name);
    const bool pair = next.value > 0xffff;
    if (bytes.size() + (pair ? 4 : 2) > k_room) break;
    if (pair) {
      add(0xd800 + ((next.value - 0x10000) >> 10U));
      add(0xdc00 + ((next.value - 0x10000) & 0x3ffU));
    } else {
      add(next.value);
    }
    name.remove_prefix(next.length);
  }
  bytes.resize(k_room, '\0');
  return bytes;
}

std::string gpt_entries(const DiskLayout& layout, const Placement& placement) {
  std::string bytes(k_gpt_entries * k_gpt_entry_size, '\0');
  for (std::size_t i = 0; i < layout.partitions.size(); ++i) {
    const std::size_t at = i * k_gpt_entry_size;
    const Extent& extent = placement.partitions[i];
    bytes.replace(at, 16, guid_bytes(layout.partitions[i].type));
    bytes.replace(at + 16, 16, guid_bytes(layout.partitions[i].guid));
    put_le(bytes, at + 32, extent.offset / layout.sector_size, 8);
    put_le(bytes, at + 40, extent.end() / layout.sector_size - 1, 8);
    put_le(bytes, at + 48, layout.partitions[i].attributes, 8);
    bytes.replace(at + 56, 72, utf16_name(layout.partitions[i].name));
  }
  return bytes;
}

/// The header at `own` whose twin lies at `other`; its entries begin at `entries_at` (all in sectors).
std::string gpt_header(const DiskLayout& layout, std::uint64_t sectors, std::string_view entries, std::uint64_t own,
                       std::uint64_t entries_at) {
  const std::uint64_t entry_sectors = entries.size() / layout.sector_size;
  const std::uint64_t last = sectors - 1;
  std::string bytes(layout.sector_size, '\0');
  bytes.replace(0, 8, "EFI PART");
  put_le(bytes, 8, 0x00010000, 4);
  put_le(bytes, 12, k_gpt_header_size, 4);
  put_le(bytes, 24, own, 8);
  put_le(bytes, 32, own == 1 ? last : 1, 8);
  put_le(bytes, 40, 2 + entry_sectors, 8);
  put_le(bytes, 48, last - 1 - entry_sectors, 8);
  bytes.replace(56, 16, guid_bytes(layout.disk_id));
  put_le(bytes, 72, entries_at, 8);
  put_le(bytes, 80, k_gpt_entries, 4);
  put_le(bytes, 84, k_gpt_entry_size, 4);
  put_le(bytes, 88, crc32_of(entries), 4);
  put_le(bytes, 16, crc32_of(std::string_view(bytes).substr(0, k_gpt_header_size)), 4);
  return bytes;
}

/// Keeps tools that know only MBRs off the disk (UEFI 5.2.3).
std::string protective_mbr(std::uint64_t sectors) {
  std::string bytes = empty_mbr();
  put_le(bytes, 0x1be + 2, 0x02, 1);  // first CHS 0/0/2
  put_le(bytes, 0x1be + 4, 0xee, 1);
  put_le(bytes, 0x1be + 5, 0xffffff, 3);
  put_le(bytes, 0x1be + 8, 1, 4);
  put_le(bytes, 0x1be + 12, std::min<std::uint64_t>(sectors - 1, UINT32_MAX), 4);
  return bytes;
}

std::vector<DiskPiece> gpt_table(const DiskLayout& layout, const Placement& placement) {
  const std::uint64_t sector = layout.sector_size;
  const std::uint64_t sectors = placement.disk_bytes / sector;
  const std::string entries = gpt_entries(layout, placement);
  const std::uint64_t backup = sectors - 1 - entries.size() / sector;
  return {{0, protective_mbr(sectors)},
          {sector, gpt_header(layout, sectors, entries, 1, 2)},
          {2 * sector, entries},
          {backup * sector, entries},
          {(sectors - 1) * sector, gpt_header(layout, sectors, entries, sectors - 1, backup)}};
}

}  // namespace

std::vector<DiskPiece> partition_table(const DiskLayout& layout, const Placement& placement) {
  if (layout.table == PartitionTable::gpt) return gpt_table(layout, placement);
  if (layout.table == PartitionTable::mbr) return mbr_table(layout, placement);
  return {};
}

}  // namespace hearth::builder
