// DiskLayout: what a disk is to hold, as the block-device YAML says it, before its size is known. Pure values:
// block_config makes one, assign_ids() fills its ids, place() (placement.hpp) gives everything an offset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builder/disk/layout/sizes.hpp"
#include "builder/disk/layout/volumes.hpp"

namespace hearth::builder {

enum class PartitionTable { none, mbr, gpt };

struct FstabEntry {
  std::string options = "defaults";
  std::string dump_frequency = "0";
  std::string fsck_pass = "2";
  bool operator==(const FstabEntry&) const = default;
};

struct DiskFileSystem {
  std::string name;  ///< the node's name, "mkfs_root"
  std::string type;  ///< ext2 ext3 ext4 vfat swap btrfs, or one that only another maker can make
  std::string label;
  /// As blkid shows it: a lower-case UUID; 8 hexadecimal digits as "ABCD-1234" for vfat. Empty until assign_ids().
  std::string uuid;
  std::vector<std::string> options;  ///< words for mkfs
  std::string mount_point;           ///< empty = not mounted; "none" = swap
  std::optional<FstabEntry> fstab;
  std::optional<std::size_t> partition;  ///< index into DiskLayout::partitions; nothing = the whole disk, or `volume`
  std::string volume;                    ///< the array, encrypted or logical volume that it lies on; empty = none
  bool operator==(const DiskFileSystem&) const = default;

  [[nodiscard]] bool is_fat() const { return type == "vfat" || type == "fat"; }
  [[nodiscard]] bool is_ext() const { return type == "ext2" || type == "ext3" || type == "ext4"; }
  /// Whether files of the tree go into it.
  [[nodiscard]] bool holds_files() const { return mount_point.starts_with('/'); }
};

struct Partition {
  std::string name;
  SizeSpec size;
  std::string type;  ///< MBR: two hexadecimal digits, "83". GPT: upper-case GUID
  bool boot = false;
  bool primary = false;                ///< MBR only
  std::optional<std::uint64_t> start;  ///< bytes, when the YAML fixes it; else behind the one before
  std::string guid;                    ///< GPT only; empty until assign_ids()
  std::uint64_t attributes = 0;        ///< GPT only
  bool operator==(const Partition&) const = default;
};

struct DiskLayout {
  std::string disk = "image0";
  std::optional<std::uint64_t> size;  ///< bytes, when the YAML fixes it
  std::uint32_t sector_size = 512;
  PartitionTable table = PartitionTable::none;
  std::uint64_t align = 1 << 20;  ///< bytes; MBR only, GPT always aligns to 1 MiB
  std::string disk_id;            ///< GPT: GUID; MBR: 8 hexadecimal digits. Empty until assign_ids()
  std::vector<Partition> partitions;
  std::vector<DiskFileSystem> file_systems;  ///< in mount order; unmounted ones first
  Volumes volumes;                           ///< what lies between partitions and file systems
  std::vector<std::string> beyond_direct;    ///< what only the guestfs maker can do, each with its place in the YAML
  std::vector<std::string> beyond_all;       ///< what no maker can do
  std::vector<DiskLayout> further;           ///< disks beside this one, which holds the root; an output each
  std::vector<std::string> elsewhere;        ///< mount points of file systems on the other disks
  std::vector<std::string> warnings;         ///< "SOURCE:LINE:COLUMN: …", unknown keys and unknown types
  bool operator==(const DiskLayout&) const = default;

  /// The file system mounted at `mount_point`; null when there is none.
  [[nodiscard]] const DiskFileSystem* mounted_at(std::string_view mount_point) const;
  /// The file system that holds the file `path` ("/boot/grub/grub.cfg"); null when no mount covers it.
  [[nodiscard]] const DiskFileSystem* holding(std::string_view path) const;
  /// Mount points below "/" of other file systems than the one at `mount_point`, innermost parents first.
  [[nodiscard]] std::vector<std::string> mounts_below(std::string_view mount_point) const;
};

/// GPT partition type GUIDs that other code asks for.
inline constexpr std::string_view k_esp_type = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";
inline constexpr std::string_view k_bios_boot_type = "21686148-6449-6E6F-744E-656564454649";

/// The layout with every empty id filled, derived from `seed` by SHA-256: the same seed gives the same ids.
[[nodiscard]] DiskLayout assign_ids(DiskLayout layout, std::string_view seed);

/// A UUID (lower case, version 4 bits) derived from a seed and a purpose.
[[nodiscard]] std::string derived_uuid(std::string_view seed, std::string_view purpose);

/// A UUID as mdadm writes it: four groups of eight digits with colons.
[[nodiscard]] std::string mdadm_uuid(std::string_view uuid);

/// By what /etc/fstab finds a file system. Labels are the same in all releases of an image: in a machine with two of
/// their disks, what a label names may lie on either.
enum class FstabName { uuid, label };

/// The file systems of all disks, in mount order.
[[nodiscard]] std::vector<const DiskFileSystem*> all_file_systems(const DiskLayout& layout);

/// The lines of /etc/fstab for all mounts that have an fstab node, in mount order. What has no UUID yet goes by label.
[[nodiscard]] std::string fstab_text(const DiskLayout& layout, FstabName by = FstabName::uuid);

/// The lines of /etc/crypttab for the encrypted volumes, and the ARRAY lines of mdadm.conf; empty when there are none.
[[nodiscard]] std::string crypttab_text(const DiskLayout& layout);
[[nodiscard]] std::string mdadm_text(const DiskLayout& layout);

/// Throws Error(unsupported), naming everything that no maker can do; Error(input) when nothing is mounted at /.
void require_makeable(const DiskLayout& layout);
/// Throws Error(unsupported), naming everything that needs another maker than the direct one.
void require_direct(const DiskLayout& layout);

}  // namespace hearth::builder
