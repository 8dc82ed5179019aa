// GUID partition tables (UEFI specification, chapter 5) and their legacy cousins in the boot sector, as values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::agent::deploy {

using Guid = std::array<std::uint8_t, 16>;  ///< as it lies on the disk

/// "0fc63daf-8483-4772-8e79-3d69d8477de4" and back.
[[nodiscard]] Guid parse_guid(std::string_view text);
[[nodiscard]] std::string guid_text(const Guid& guid);

extern const Guid k_esp_type;
extern const Guid k_linux_type;

struct GptEntry {
  std::uint32_t number = 0;  ///< from 1
  Guid type{};
  Guid id{};
  std::uint64_t first = 0;  ///< sectors
  std::uint64_t last = 0;   ///< inclusive
  std::string name;         ///< ASCII only
};

/// A table with its free places.
class Gpt {
 public:
  /// Reads the primary table: `front` are the disk's first sectors (34 at least), `sector` their size. Nothing when
  /// there is none or its checksums are wrong.
  [[nodiscard]] static std::optional<Gpt> parse(std::string_view front, std::uint32_t sector);

  /// An empty table of 128 entries for a disk of so many sectors.
  [[nodiscard]] static Gpt blank(std::uint64_t disk_sectors, std::uint32_t sector, const Guid& id);

  [[nodiscard]] std::vector<GptEntry> entries() const;
  /// Lets the table reach to the end of a disk of so many sectors; the second copy goes there.
  void grow(std::uint64_t disk_sectors);
  /// Puts a partition there. Nothing when no entry is free.
  std::optional<GptEntry> add(std::uint64_t first, std::uint64_t sectors, const Guid& type, const Guid& id,
                              std::string_view name);
  /// Puts a partition of `sectors` at the end of the disk, aligned to `alignment` sectors. Nothing when there is no
  /// room behind the last partition, or no free entry.
  [[nodiscard]] std::optional<GptEntry> add_last(std::uint64_t sectors, std::uint64_t alignment, const Guid& type,
                                                 const Guid& id, std::string_view name);

  /// What to write: the primary header and table from sector 1 on, and the second copy, which ends the disk.
  struct Image {
    std::string primary;
    std::uint64_t backup_sector = 0;
    std::string backup;
  };
  [[nodiscard]] Image encode() const;

 private:
  [[nodiscard]] std::string header(std::uint64_t here, std::uint64_t other, std::uint64_t table) const;

  std::uint32_t sector_ = 512;
  std::string header_;  ///< as it was read
  std::string table_;
  std::uint32_t entry_size_ = 128;
  std::uint64_t disk_sectors_ = 0;
  std::uint64_t first_usable_ = 0;
};

/// A partition of the boot sector's table.
struct MbrEntry {
  int number = 0;  ///< 1 to 4
  std::uint8_t type = 0;
  std::uint32_t first = 0;
  std::uint32_t sectors = 0;
  bool active = false;  ///< what some firmware looks for before it starts the disk
};
/// The used entries; empty also when the boot sector has no table.
[[nodiscard]] std::vector<MbrEntry> parse_mbr(std::string_view boot_sector);
/// The boot sector with a further partition; nothing when all four places are taken.
[[nodiscard]] std::optional<std::string> add_to_mbr(std::string boot_sector, const MbrEntry& entry);

}  // namespace hearth::agent::deploy
