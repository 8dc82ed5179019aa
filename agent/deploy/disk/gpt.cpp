#include "agent/deploy/disk/gpt.hpp"

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/crc.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::string_view k_signature = "EFI PART";
constexpr std::size_t k_mbr_table = 446;
constexpr std::size_t k_mbr_entry = 16;

bool is_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

std::string ascii_of(std::string_view utf16) {
  std::string text;
  for (std::size_t at = 0; at + 1 < utf16.size(); at += 2) {
    if (utf16[at] == 0 && utf16[at + 1] == 0) break;
    text.push_back(utf16[at + 1] == 0 ? utf16[at] : '?');
  }
  return text;
}

}  // namespace

Guid parse_guid(std::string_view text) {
  Guid bytes{};
  const std::string given = guid_bytes(text);
  std::copy(given.begin(), given.end(), bytes.begin());
  return bytes;
}

std::string guid_text(const Guid& guid) { return hearth::guid_text(std::string(guid.begin(), guid.end())); }

const Guid k_esp_type = parse_guid("c12a7328-f81f-11d2-ba4b-00a0c93ec93b");
const Guid k_linux_type = parse_guid("0fc63daf-8483-4772-8e79-3d69d8477de4");

std::optional<Gpt> Gpt::parse(std::string_view front, std::uint32_t sector) {
  if (front.size() < sector + 92 || front.substr(sector, 8) != k_signature) return std::nullopt;
  const auto header_size = get_le<std::uint32_t>(front, sector + 12);
  if (header_size < 92 || header_size > sector) return std::nullopt;
  Gpt gpt;
  gpt.sector_ = sector;
  gpt.header_ = front.substr(sector, header_size);
  std::string zeroed = gpt.header_;
  put_le<std::uint32_t>(zeroed, 16, 0);
  const auto count = get_le<std::uint32_t>(gpt.header_, 80);
  gpt.entry_size_ = get_le<std::uint32_t>(gpt.header_, 84);
  const std::uint64_t table = get_le<std::uint64_t>(gpt.header_, 72);
  const bool sane = count <= 1024 && gpt.entry_size_ >= 128 && gpt.entry_size_ <= 4096 && table >= 2 && table < 4096 &&
                    table * sector + std::uint64_t{count} * gpt.entry_size_ <= front.size();
  if (!sane || crc32_of(zeroed) != get_le<std::uint32_t>(gpt.header_, 16)) return std::nullopt;
  gpt.table_ = front.substr(static_cast<std::size_t>(table * sector), std::size_t{count} * gpt.entry_size_);
  if (crc32_of(gpt.table_) != get_le<std::uint32_t>(gpt.header_, 88)) return std::nullopt;
  gpt.disk_sectors_ = get_le<std::uint64_t>(gpt.header_, 32) + 1;
  gpt.first_usable_ = get_le<std::uint64_t>(gpt.header_, 40);
  return gpt;
}

Gpt Gpt::blank(std::uint64_t disk_sectors, std::uint32_t sector, const Guid& id) {
  constexpr std::uint32_t entries = 128;
  Gpt gpt;
  gpt.sector_ = sector;
  gpt.disk_sectors_ = disk_sectors;
  gpt.table_.assign(std::size_t{entries} * gpt.entry_size_, 0);
  gpt.first_usable_ = 2 + (gpt.table_.size() + sector - 1) / sector;
  gpt.header_ = cat(k_signature, std::string(84, 0));
  put_le<std::uint32_t>(gpt.header_, 8, 0x00010000);
  put_le<std::uint32_t>(gpt.header_, 12, 92);
  put_le<std::uint64_t>(gpt.header_, 40, gpt.first_usable_);
  std::copy(id.begin(), id.end(), gpt.header_.begin() + 56);
  put_le<std::uint64_t>(gpt.header_, 72, 2);
  put_le<std::uint32_t>(gpt.header_, 80, entries);
  put_le<std::uint32_t>(gpt.header_, 84, gpt.entry_size_);
  return gpt;
}

std::vector<GptEntry> Gpt::entries() const {
  std::vector<GptEntry> found;
  for (std::size_t at = 0; at + entry_size_ <= table_.size(); at += entry_size_) {
    const std::string_view bytes = std::string_view(table_).substr(at, entry_size_);
    if (is_zero(bytes.substr(0, 16))) continue;
    GptEntry entry{.number = static_cast<std::uint32_t>(at / entry_size_ + 1)};
    std::copy_n(bytes.begin(), 16, entry.type.begin());
    std::copy_n(bytes.begin() + 16, 16, entry.id.begin());
    entry.first = get_le<std::uint64_t>(bytes, 32);
    entry.last = get_le<std::uint64_t>(bytes, 40);
    entry.name = ascii_of(bytes.substr(56, 72));
    found.push_back(std::move(entry));
  }
  return found;
}

void Gpt::grow(std::uint64_t disk_sectors) { disk_sectors_ = disk_sectors; }

std::optional<GptEntry> Gpt::add_last(std::uint64_t sectors, std::uint64_t alignment, const Guid& type, const Guid& id,
                                      std::string_view name) {
  const std::uint64_t table_sectors = (table_.size() + sector_ - 1) / sector_;
  const std::uint64_t end = disk_sectors_ - 1 - table_sectors;  // behind the last usable sector
  if (sectors > end) return std::nullopt;
  const std::uint64_t first = (end - sectors) / alignment * alignment;
  for (const GptEntry& entry : entries()) {
    if (entry.last >= first) return std::nullopt;
  }
  return add(first, sectors, type, id, name);
}

std::optional<GptEntry> Gpt::add(std::uint64_t first, std::uint64_t sectors, const Guid& type, const Guid& id,
                                 std::string_view name) {
  for (std::size_t at = 0; at + entry_size_ <= table_.size(); at += entry_size_) {
    if (!is_zero(std::string_view(table_).substr(at, 16))) continue;
    GptEntry entry{
        static_cast<std::uint32_t>(at / entry_size_ + 1), type, id, first, first + sectors - 1, std::string(name)};
    std::copy(type.begin(), type.end(), table_.begin() + static_cast<std::ptrdiff_t>(at));
    std::copy(id.begin(), id.end(), table_.begin() + static_cast<std::ptrdiff_t>(at) + 16);
    put_le<std::uint64_t>(table_, at + 32, entry.first);
    put_le<std::uint64_t>(table_, at + 40, entry.last);
    for (std::size_t i = 0; i < name.size() && i < 36; ++i) table_[at + 56 + 2 * i] = name[i];
    return entry;
  }
  return std::nullopt;
}

std::string Gpt::header(std::uint64_t here, std::uint64_t other, std::uint64_t table) const {
  std::string bytes = header_;
  const std::uint64_t table_sectors = (table_.size() + sector_ - 1) / sector_;
  put_le<std::uint64_t>(bytes, 24, here);
  put_le<std::uint64_t>(bytes, 32, other);
  put_le<std::uint64_t>(bytes, 48, disk_sectors_ - 2 - table_sectors);
  put_le<std::uint64_t>(bytes, 72, table);
  put_le<std::uint32_t>(bytes, 88, crc32_of(table_));
  put_le<std::uint32_t>(bytes, 16, 0);
  put_le<std::uint32_t>(bytes, 16, crc32_of(bytes));
  bytes.resize(sector_);
  return bytes;
}

Gpt::Image Gpt::encode() const {
  const std::uint64_t table_sectors = (table_.size() + sector_ - 1) / sector_;
  const std::uint64_t backup_table = disk_sectors_ - 1 - table_sectors;
  std::string table = table_;
  table.resize(static_cast<std::size_t>(table_sectors) * sector_);
  const std::uint64_t primary_table = get_le<std::uint64_t>(header_, 72);
  std::string primary = header(1, disk_sectors_ - 1, primary_table);
  primary.resize(static_cast<std::size_t>(primary_table - 1) * sector_);
  return {primary + table, backup_table, table + header(disk_sectors_ - 1, 1, backup_table)};
}

std::vector<MbrEntry> parse_mbr(std::string_view sector) {
  std::vector<MbrEntry> found;
  if (sector.size() < 512 || sector[510] != '\x55' || sector[511] != '\xaa') return found;
  for (int i = 0; i < 4; ++i) {
    const std::size_t at = k_mbr_table + static_cast<std::size_t>(i) * k_mbr_entry;
    const MbrEntry entry{i + 1, static_cast<std::uint8_t>(sector[at + 4]), get_le<std::uint32_t>(sector, at + 8),
                         get_le<std::uint32_t>(sector, at + 12), sector[at] == '\x80'};
    if (entry.type != 0 && entry.sectors != 0) found.push_back(entry);
  }
  return found;
}

std::optional<std::string> add_to_mbr(std::string sector, const MbrEntry& entry) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t at = k_mbr_table + static_cast<std::size_t>(i) * k_mbr_entry;
    if (!is_zero(std::string_view(sector).substr(at, k_mbr_entry))) continue;
    if (entry.active) sector[at] = '\x80';
    sector[at + 4] = static_cast<char>(entry.type);
    for (const std::size_t chs : {at + 1, at + 5}) {  // beyond what cylinders, heads and sectors can say
      sector[chs] = '\xfe';
      sector[chs + 1] = '\xff';
      sector[chs + 2] = '\xff';
    }
    put_le<std::uint32_t>(sector, at + 8, entry.first);
    put_le<std::uint32_t>(sector, at + 12, entry.sectors);
    return sector;
  }
  return std::nullopt;
}

}  // namespace hearth::agent::deploy
