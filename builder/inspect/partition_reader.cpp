#include "builder/inspect/partition_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/byte_order.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/uuid.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_mbr_sector = 512;
constexpr std::size_t k_most_logical = 128;
constexpr std::size_t k_most_entries = 1024;

std::string up_to_nul(std::string_view bytes) { return std::string(bytes.substr(0, bytes.find('\0'))); }

std::string without_blanks(std::string_view bytes) { return std::string(trim(up_to_nul(bytes))); }

/// The name of a partition, which whoever made the disk chose: a control character, which a terminal might obey, is
/// "?".
std::string utf8_of_utf16(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    char32_t value = static_cast<char32_t>(get_le(bytes, i, 2));
    if (value == 0) break;
    const char32_t low = i + 3 < bytes.size() ? static_cast<char32_t>(get_le(bytes, i + 2, 2)) : 0;
    if (value >= 0xd800 && value < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
      value = 0x10000 + ((value - 0xd800) << 10U) + (low - 0xdc00);
      i += 2;
    }
    const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
    append_utf8(text, control ? U'?' : value);
  }
  return text;
}

bool read_gpt(const ReadBytes& read, std::uint32_t sector, FoundTable& table) {
  const std::string header = read(sector, 92);
  if (!header.starts_with("EFI PART")) return false;
  const std::uint64_t count = std::min<std::uint64_t>(get_le(header, 80, 4), k_most_entries);
  const std::uint64_t size = get_le(header, 84, 4);
  if (size < 128 || size > 4096) return false;
  table.table = PartitionTable::gpt;
  table.sector_size = sector;
  table.id = to_upper(guid_text(std::string_view(header).substr(56, 16)));
  const std::string entries = read(get_le(header, 72, 8) * sector, count * size);
  for (std::uint64_t i = 0; (i + 1) * size <= entries.size(); ++i) {
    const std::string_view entry = std::string_view(entries).substr(i * size, size);
    if (entry.substr(0, 16).find_first_not_of('\0') == std::string_view::npos) continue;
    const std::uint64_t first = get_le(entry, 32, 8);
    const std::uint64_t last = get_le(entry, 40, 8);
    if (last < first) continue;
    table.partitions.push_back({.number = static_cast<std::uint32_t>(i + 1),
                                .extent = {first * sector, (last - first + 1) * sector},
                                .type = to_upper(guid_text(entry.substr(0, 16))),
                                .name = utf8_of_utf16(entry.substr(56, 72)),
                                .guid = to_upper(guid_text(entry.substr(16, 16)))});
  }
  return true;
}

struct MbrEntry {
  std::uint8_t type = 0;
  bool boot = false;
  std::uint64_t start = 0;  ///< sectors
  std::uint64_t length = 0;
};

MbrEntry mbr_entry(std::string_view sector, std::size_t slot) {
  const std::size_t at = 0x1be + 16 * slot;
  return {static_cast<std::uint8_t>(get_le(sector, at + 4, 1)), get_le(sector, at, 1) == 0x80,
          get_le(sector, at + 8, 4), get_le(sector, at + 12, 4)};
}

bool is_extended(std::uint8_t type) { return type == 0x05 || type == 0x0f || type == 0x85; }

FoundPartition found(std::uint32_t number, const MbrEntry& entry, std::uint64_t base) {
  return {.number = number,
          .extent = {(base + entry.start) * k_mbr_sector, entry.length * k_mbr_sector},
          .type = to_hex(std::string(1, static_cast<char>(entry.type))),
          .name = "",
          .guid = "",
          .boot = entry.boot};
}

void read_logical(const ReadBytes& read, std::uint64_t extended, FoundTable& table) {
  std::uint64_t link = extended;
  for (std::uint32_t number = 5; number < 5 + k_most_logical; ++number) {
    const std::string sector = read(link * k_mbr_sector, k_mbr_sector);
    if (sector.size() < k_mbr_sector || get_le(sector, 510, 2) != 0xaa55) return;
    const MbrEntry data = mbr_entry(sector, 0);
    if (data.length > 0) table.partitions.push_back(found(number, data, link));
    const MbrEntry next = mbr_entry(sector, 1);
    if (!is_extended(next.type) || next.length == 0) return;
    link = extended + next.start;
  }
}

void read_mbr(const ReadBytes& read, const std::string& sector, FoundTable& table) {
  std::vector<FoundPartition> primaries;
  for (std::size_t slot = 0; slot < 4; ++slot) {
    const MbrEntry entry = mbr_entry(sector, slot);
    const std::uint64_t flag = get_le(sector, 0x1be + 16 * slot, 1);
    if (flag != 0 && flag != 0x80) return;  // a file system's boot sector
    if (entry.type == 0 || entry.length == 0) continue;
    primaries.push_back(found(static_cast<std::uint32_t>(slot + 1), entry, 0));
  }
  if (primaries.empty()) return;
  table.table = PartitionTable::mbr;
  std::array<char, 12> id{};
  std::snprintf(id.data(), id.size(), "%08x", static_cast<unsigned>(get_le(sector, 0x1b8, 4)));
  table.id = id.data();
  table.partitions = primaries;
  for (const FoundPartition& each : primaries) {
    if (is_extended(static_cast<std::uint8_t>(std::stoul(each.type, nullptr, 16)))) {
      read_logical(read, each.extent.offset / k_mbr_sector, table);
    }
  }
}

std::string uuid_at(std::string_view bytes, std::size_t at) { return uuid_text(bytes.substr(at, 16)); }

Signature ext_signature(const std::string& super) {
  const std::uint64_t compatible = get_le(super, 92, 4);
  const std::uint64_t incompatible = get_le(super, 96, 4);
  const bool four = (incompatible & 0x2c0U) != 0;  // extents, 64bit, flex_bg
  const bool journal = (compatible & 4U) != 0;
  return {four      ? "ext4"
          : journal ? "ext3"
                    : "ext2",
          up_to_nul(std::string_view(super).substr(120, 16)), uuid_at(super, 104)};
}

Signature fat_signature(std::string_view sector) {
  const bool wide = sector.substr(82, 5) == "FAT32";
  const std::size_t at = wide ? 67 : 39;
  const std::string digits = to_upper(to_hex(big_endian(get_le(sector, at, 4), 4)));
  return {"vfat", without_blanks(sector.substr(at + 4, 11)), cat(digits.substr(0, 4), "-", digits.substr(4))};
}

std::string lvm_id(std::string_view bytes) {
  std::string id(bytes.substr(0, 32));
  for (const std::size_t at : {26U, 22U, 18U, 14U, 10U, 6U}) {
    if (id.size() >= at) id.insert(at, "-");
  }
  return id;
}

}  // namespace

FoundTable read_partition_table(const ReadBytes& read) {
  FoundTable table;
  const std::string sector = read(0, k_mbr_sector);
  if (sector.size() < k_mbr_sector) return table;
  table.boot_code = sector.find_first_not_of('\0') < 0x1b8 && get_le(sector, 510, 2) == 0xaa55;
  if (read_gpt(read, 512, table) || read_gpt(read, 4096, table)) return table;
  if (get_le(sector, 510, 2) == 0xaa55) read_mbr(read, sector, table);
  return table;
}

Signature read_signature(const ReadBytes& read, const Extent& extent) {
  const std::string head = read(extent.offset, 8192);
  const std::string_view view = head;
  const auto has = [&](std::size_t at, std::string_view mark) {
    return view.size() >= at + mark.size() && view.substr(at, mark.size()) == mark;
  };
  if (has(0, "LUKS\xba\xbe"))
    return {"crypto_LUKS", has(6, std::string_view("\0\2", 2)) ? up_to_nul(view.substr(24, 48)) : "",
            up_to_nul(view.substr(168, 40))};
  for (const std::size_t at : {512U, 0U, 1024U, 1536U}) {
    if (has(at, "LABELONE") && has(at + 24, "LVM2 001")) return {"LVM2_member", "", lvm_id(view.substr(at + 32, 32))};
  }
  if (has(4096, "\xfc\x4e\x2b\xa9"))
    return {"linux_raid_member", up_to_nul(view.substr(4096 + 32, 32)), uuid_at(view, 4096 + 16)};
  if (has(0, "XFSB")) return {"xfs", up_to_nul(view.substr(108, 12)), uuid_at(view, 32)};
  if (has(1080, "\x53\xef")) return ext_signature(head.substr(1024, 1024));
  if (has(4086, "SWAPSPACE2")) return {"swap", up_to_nul(view.substr(1052, 16)), uuid_at(view, 1036)};
  if (has(0, "hsqs")) return {"squashfs", "", ""};
  if (has(1024, "\xe2\xe1\xf5\xe0")) return {"erofs", up_to_nul(view.substr(1024 + 64, 16)), uuid_at(view, 1024 + 48)};
  if (has(510, "\x55\xaa") && (has(54, "FAT") || has(82, "FAT32"))) return fat_signature(view);
  const std::string btrfs = read(extent.offset + 65536, 1024);
  if (btrfs.size() > 811 && btrfs.substr(64, 8) == "_BHRfS_M") {
    return {"btrfs", up_to_nul(std::string_view(btrfs).substr(299, 256)), uuid_at(btrfs, 32)};
  }
  const std::string iso = read(extent.offset + 32768, 128);
  if (iso.size() >= 72 && iso.substr(1, 5) == "CD001") return {"iso9660", std::string(trim(iso.substr(40, 32))), ""};
  return {};
}

}  // namespace hearth::builder
