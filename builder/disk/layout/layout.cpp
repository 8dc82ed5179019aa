#include "builder/disk/layout/layout.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "builder/disk/layout/lvm_metadata.hpp"

namespace hearth::builder {

namespace {

bool is_below(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.size() > 1 && path.starts_with('/');
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

std::string volume_id(std::string_view seed, std::string_view purpose) {
  const std::string digits = to_upper(derived_uuid(seed, purpose).substr(0, 8));
  return cat(digits.substr(0, 4), "-", digits.substr(4));
}

std::string fstab_line(const DiskFileSystem& file_system, FstabName by) {
  const bool swap = file_system.type == "swap";
  const FstabEntry entry = swap ? FstabEntry{"sw", "0", "0"} : *file_system.fstab;
  const bool by_label = by == FstabName::label || file_system.uuid.empty();
  const std::string name =
      by_label ? cat("LABEL=", replace_all(file_system.label, " ", "\\040")) : cat("UUID=", file_system.uuid);
  return cat(name, " ", file_system.mount_point, " ", file_system.type, " ", entry.options, " ", entry.dump_frequency,
             " ", entry.fsck_pass, "\n");
}

}  // namespace

const DiskFileSystem* DiskLayout::mounted_at(std::string_view mount_point) const {
  for (const DiskFileSystem& file_system : file_systems) {
    if (file_system.mount_point == mount_point) return &file_system;
  }
  return nullptr;
}

const DiskFileSystem* DiskLayout::holding(std::string_view path) const {
  const DiskFileSystem* best = nullptr;
  for (const DiskFileSystem& candidate : file_systems) {
    if (!candidate.holds_files()) continue;
    if (candidate.mount_point != path && !is_below(path, candidate.mount_point)) continue;
    if (best == nullptr || candidate.mount_point.size() > best->mount_point.size()) best = &candidate;
  }
  return best;
}

std::vector<std::string> DiskLayout::mounts_below(std::string_view mount_point) const {
  std::vector<std::string> found;
  for (const DiskFileSystem& other : file_systems) {
    if (other.holds_files() && is_below(other.mount_point, mount_point)) found.push_back(other.mount_point);
  }
  for (const std::string& other : elsewhere) {
    if (is_below(other, mount_point)) found.push_back(other);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string derived_uuid(std::string_view seed, std::string_view purpose) {
  std::string hex = hex_digest(HashKind::sha256, cat("hearth disk id\n", purpose, "\n", seed)).substr(0, 32);
  hex[12] = '4';
  constexpr std::string_view variants = "89ab";
  hex[16] = variants[static_cast<unsigned char>(hex[16]) % 4];
  return with_uuid_dashes(hex);
}

std::string mdadm_uuid(std::string_view uuid) {
  const std::string digits = replace_all(std::string(uuid), "-", "");
  return cat(digits.substr(0, 8), ":", digits.substr(8, 8), ":", digits.substr(16, 8), ":", digits.substr(24));
}

DiskLayout assign_ids(DiskLayout layout, std::string_view seed) {
  const bool gpt = layout.table == PartitionTable::gpt;
  if (layout.disk_id.empty()) {
    const std::string id = derived_uuid(seed, cat("disk ", layout.disk));
    layout.disk_id = gpt ? to_upper(id) : id.substr(0, 8);
  }
  for (Partition& partition : layout.partitions) {
    if (partition.guid.empty() && gpt) partition.guid = to_upper(derived_uuid(seed, cat("partition ", partition.name)));
  }
  for (DiskFileSystem& file_system : layout.file_systems) {
    if (!file_system.uuid.empty()) continue;
    const std::string purpose = cat("file system ", file_system.name);
    file_system.uuid = file_system.is_fat() ? volume_id(seed, purpose) : derived_uuid(seed, purpose);
  }
  for (RaidArray& array : layout.volumes.arrays) {
    if (array.uuid.empty()) array.uuid = derived_uuid(seed, cat("array ", array.name));
  }
  for (LuksVolume& volume : layout.volumes.encrypted) {
    if (volume.uuid.empty()) volume.uuid = derived_uuid(seed, cat("encrypted ", volume.name));
  }
  for (PhysicalVolume& volume : layout.volumes.physical) {
    if (volume.uuid.empty()) volume.uuid = lvm_id(seed, cat("physical volume ", volume.name));
  }
  for (DiskLayout& disk : layout.further) disk = assign_ids(std::move(disk), seed);
  return layout;
}

std::string crypttab_text(const DiskLayout& layout) {
  std::string text;
  for (const LuksVolume& volume : layout.volumes.encrypted) {
    const std::string key = volume.image_key_file.empty() ? "none" : volume.image_key_file;
    text += cat(volume.name, " UUID=", volume.uuid, " ", key, " ", volume.crypttab, "\n");
  }
  return text;
}

std::string mdadm_text(const DiskLayout& layout) {
  std::string text;
  for (const RaidArray& array : layout.volumes.arrays) {
    text += cat("ARRAY /dev/md/", array.name, " metadata=", array.metadata, " UUID=", mdadm_uuid(array.uuid), "\n");
  }
  return text;
}

std::vector<const DiskFileSystem*> all_file_systems(const DiskLayout& layout) {
  std::vector<const DiskFileSystem*> all;
  for (const DiskFileSystem& each : layout.file_systems) all.push_back(&each);
  for (const DiskLayout& disk : layout.further) {
    for (const DiskFileSystem& each : disk.file_systems) all.push_back(&each);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto* a, const auto* b) { return a->mount_point < b->mount_point; });
  return all;
}

std::string fstab_text(const DiskLayout& layout, FstabName by) {
  std::string text;
  for (const DiskFileSystem* const each : all_file_systems(layout)) {
    if (each->fstab && !each->mount_point.empty()) text += fstab_line(*each, by);
  }
  return text;
}

void require_makeable(const DiskLayout& layout) {
  const bool is_further = std::find(layout.elsewhere.begin(), layout.elsewhere.end(), "/") != layout.elsewhere.end();
  if (layout.mounted_at("/") == nullptr && !is_further) {
    throw Error(ErrorKind::input, "the disk layout has no root: no file system is mounted at /")
        .hint("Give one of its file systems `mount: {mount_point: /}`.");
  }
  for (const DiskLayout& disk : layout.further) require_makeable(disk);
  if (layout.beyond_all.empty()) return;
  throw Error(ErrorKind::unsupported, cat("no disk maker can make this layout: ", join(layout.beyond_all, "; ")))
      .hint("ext2, ext3, ext4, xfs, btrfs, vfat and swap can be made; volumes on the first disk.");
}

void require_direct(const DiskLayout& layout) {
  if (layout.beyond_direct.empty()) return;
  throw Error(ErrorKind::unsupported,
              cat("the direct disk maker can't make this layout: ", join(layout.beyond_direct, "; ")))
      .hint("The guestfs maker makes it: --disk-maker guestfs, or leave the choice to the plan.");
}

}  // namespace hearth::builder
