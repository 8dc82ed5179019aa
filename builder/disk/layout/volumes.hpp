// Block devices that are made of others: RAID arrays, encrypted volumes, logical volumes. Pure values, filled by
// volume_check from the block-device YAML; guest_plan turns them into commands for the appliance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "builder/disk/layout/sizes.hpp"

namespace hearth::builder {

/// A Linux software RAID array (md).
struct RaidArray {
  std::string name;                  ///< /dev/md/NAME
  std::vector<std::string> members;  ///< partitions
  std::string level = "1";           ///< 0 1 4 5 6 10
  std::string metadata = "1.2";      ///< 1.2, or 1.0 (at the end: firmware and old loaders see a plain file system)
  std::string uuid;                  ///< empty until assign_ids()
  std::vector<std::string> options;  ///< words for mdadm --create
  bool operator==(const RaidArray&) const = default;
};

/// A LUKS volume.
struct LuksVolume {
  std::string name;                  ///< /dev/mapper/NAME
  std::string base;                  ///< partition, array or logical volume
  std::string version = "luks2";     ///< luks1 luks2
  std::string key_file;              ///< on the building machine: its bytes are the key; asked for at boot
  std::string image_key_file;        ///< in the image: its bytes are the key; the image opens the volume by itself
  std::string uuid;                  ///< empty until assign_ids()
  std::string crypttab = "luks";     ///< options in /etc/crypttab
  std::vector<std::string> options;  ///< words for cryptsetup luksFormat
  bool operator==(const LuksVolume&) const = default;
};

struct PhysicalVolume {
  std::string name;
  std::string base;
  std::string uuid;  ///< LVM's form: 32 characters in groups of 6-4-4-4-4-4-6. Empty until assign_ids()
  std::vector<std::string> options;
  bool operator==(const PhysicalVolume&) const = default;
};

struct VolumeGroup {
  std::string name;
  std::vector<std::string> members;  ///< names of physical volumes
  std::vector<std::string> options;
  bool operator==(const VolumeGroup&) const = default;
};

struct LogicalVolume {
  enum class Kind { linear, thin_pool, thin };
  enum class Share { none, group, free, physical };  ///< what a percentage is a share of: %VG %FREE %PVS
  std::string name;                                  ///< /dev/GROUP/NAME
  std::string group;
  Kind kind = Kind::linear;
  std::uint64_t bytes = 0;    ///< a whole number of extents; thin: the size that it shows
  std::uint64_t extents = 0;  ///< when the configuration counts in extents
  double percent = 0;
  Share share = Share::none;
  std::string pool;  ///< of a thin volume
  std::vector<std::string> options;
  bool operator==(const LogicalVolume&) const = default;
};

/// All of a layout's, each list in the order of the configuration.
struct Volumes {
  std::vector<RaidArray> arrays;
  std::vector<LuksVolume> encrypted;
  std::vector<PhysicalVolume> physical;
  std::vector<VolumeGroup> groups;
  std::vector<LogicalVolume> logical;
  bool operator==(const Volumes&) const = default;

  [[nodiscard]] bool empty() const {
    return arrays.empty() && encrypted.empty() && physical.empty() && groups.empty() && logical.empty();
  }
  /// The group of this name, which there must be.
  [[nodiscard]] const VolumeGroup& group(const std::string& name) const {
    return *std::find_if(groups.begin(), groups.end(), [&](const VolumeGroup& each) { return each.name == name; });
  }
};

/// The devices right below a volume: members, base, or the physical volumes' bases; nothing for what is no volume.
[[nodiscard]] std::vector<std::string> bases_below(const Volumes& volumes, const std::string& name);

inline constexpr std::uint64_t k_lvm_extent = std::uint64_t{4} << 20U;  ///< LVM's own default
inline constexpr std::uint64_t k_volume_align = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t k_luks2_header = std::uint64_t{16} << 20U;
inline constexpr std::uint64_t k_luks1_header = std::uint64_t{2} << 20U;

}  // namespace hearth::builder
