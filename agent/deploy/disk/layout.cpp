#include "agent/deploy/disk/layout.hpp"

#include <algorithm>

#include "agent/deploy/disk/gpt.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint64_t k_mib = std::uint64_t{1} << 20U;
constexpr std::uint64_t k_esp_mib = 200;  // Ironic's efi_system_partition_size
constexpr std::uint64_t k_grub_mib = 1;   // its bios_boot_partition_size
constexpr std::uint64_t k_drive_mib = 64;
constexpr std::size_t k_disk_id = 440;  // in the boot sector

struct Kind {
  std::string_view name;
  Guid type;
  std::uint8_t mbr;
};

Kind kind_of(Part part) {
  switch (part) {
    case Part::esp: return {"efi-part", k_esp_type, 0xef};
    case Part::bios_boot: return {"bios-boot", parse_guid("21686148-6449-6e6f-744e-656564454649"), 0};
    case Part::ephemeral: return {"ephemeral0", k_linux_type, 0x83};
    case Part::swap: return {"swap1", parse_guid("0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"), 0x82};
    case Part::root: break;
  }
  return {"root", k_linux_type, 0x83};
}

std::string boot_sector(const PartLayout& layout, std::string (*random)(std::size_t bytes)) {
  std::string sector(512, 0);
  sector[510] = '\x55';
  sector[511] = '\xaa';
  if (layout.gpt) {  // one entry over all of it, for programs that know no GPT
    const std::uint64_t rest = std::min<std::uint64_t>(layout.disk_sectors - 1, 0xffffffffU);
    return add_to_mbr(std::move(sector), {.type = 0xee, .first = 1, .sectors = static_cast<std::uint32_t>(rest)})
        .value();
  }
  const Guid id = parse_guid(random(16));
  std::copy_n(id.begin(), 4, sector.begin() + k_disk_id);
  for (const PlannedPart& part : layout.parts) {
    sector = add_to_mbr(std::move(sector), {.type = kind_of(part.part).mbr,
                                            .first = static_cast<std::uint32_t>(part.first),
                                            .sectors = static_cast<std::uint32_t>(part.sectors),
                                            .active = part.part == Part::root})
                 .value();
  }
  return sector;
}

}  // namespace

const PlannedPart* PartLayout::find(Part wanted) const {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [wanted](const PlannedPart& one) { return one.part == wanted; });
  return found == parts.end() ? nullptr : &*found;
}

PartLayout plan_parts(const PartitionWish& wish, std::uint64_t disk_bytes, std::uint32_t sector, bool drive) {
  PartLayout layout{.gpt = wish.gpt || wish.uefi, .sector = sector, .disk_sectors = disk_bytes / sector, .parts = {}};
  std::uint64_t next = 1;
  const auto add = [&](Part part, std::uint64_t mib) {
    if (mib == 0) return;
    const auto number = static_cast<std::uint32_t>(layout.parts.size() + 1);
    layout.parts.push_back({part, number, next * (k_mib / sector), mib * (k_mib / sector)});
    next += mib;
    hearth::check(
        layout.parts.size() < 2 || layout.parts.back().first >= layout.parts[layout.parts.size() - 2].first +
                                                                    layout.parts[layout.parts.size() - 2].sectors,
        "partitions don't overlap", "number", number, "first", layout.parts.back().first);
  };
  if (wish.uefi) add(Part::esp, k_esp_mib);
  if (layout.gpt && !wish.uefi) add(Part::bios_boot, k_grub_mib);
  add(Part::ephemeral, wish.ephemeral_mib);
  add(Part::swap, wish.swap_mib);
  add(Part::root, wish.root_mib);
  const std::uint64_t needed = next + (drive ? k_drive_mib + 1 : 0) + (layout.gpt ? 1 : 0);
  const std::uint64_t reach = layout.gpt ? disk_bytes : std::min<std::uint64_t>(disk_bytes, 0xffffffffULL * sector);
  if (needed > reach / k_mib) {
    throw Error(ErrorKind::input,
                cat("the disk is too small: it has ", reach / k_mib, " MiB",
                    reach < disk_bytes ? " for an msdos table" : "", ", the partitions need ", needed, " (root ",
                    wish.root_mib, ", swap ", wish.swap_mib, ", ephemeral ", wish.ephemeral_mib, ")"))
        .hint("Lower root_gb, swap_mb or ephemeral_gb of the node's instance_info, or choose a larger disk by hints.");
  }
  check(layout.parts.empty() || layout.parts.back().first + layout.parts.back().sectors <= layout.disk_sectors,
        "partitions end within their disk", "sectors", layout.disk_sectors);
  return layout;
}

TableBytes encode_parts(const PartLayout& layout, std::string (*random)(std::size_t bytes)) {
  TableBytes bytes{.front = boot_sector(layout, random), .back_sector = 0, .back = {}};
  if (!layout.gpt) return bytes;
  Gpt gpt = Gpt::blank(layout.disk_sectors, layout.sector, parse_guid(random(16)));
  for (const PlannedPart& part : layout.parts) {
    const Kind kind = kind_of(part.part);
    static_cast<void>(gpt.add(part.first, part.sectors, kind.type, parse_guid(random(16)), kind.name));
  }
  Gpt::Image image = gpt.encode();
  bytes.front.resize(layout.sector);
  bytes.front += image.primary;
  bytes.back_sector = image.backup_sector;
  bytes.back = std::move(image.backup);
  return bytes;
}

}  // namespace hearth::agent::deploy
