// What a guest has to do for a disk: the scripts that make arrays, encrypted and logical volumes, and which file system
// is filled in which way. Pure. Sizes and offsets are those of volume_sizes, ids those of the layout; what the tools
// draw at random all the same is put right afterwards (lvm_metadata, md_superblock) or foreseen (luks_noise).
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

inline constexpr const char* k_guest_disk = "disk";  ///< the label of the disk that is made

struct GuestStep {
  std::string title;                      ///< "volume group vg"
  std::string script;                     ///< for Guest::run()
  std::string group = {};                 ///< the volume group that it makes
  std::vector<std::string> members = {};  ///< that group's devices
};

/// A drive of random bytes that are the same every time, in the place of /dev/urandom while a volume is encrypted.
struct GuestNoise {
  std::string label;       ///< of the drive
  std::size_t volume = 0;  ///< index into Volumes::encrypted
};

/// How a file system gets its contents.
struct GuestFill {
  std::size_t file_system = 0;  ///< index into DiskLayout::file_systems
  std::string device;           ///< in the guest
  bool made_outside = false;    ///< made in user space as a drive of its own, and copied on `device`
  std::string format;           ///< else: the script that makes it; it is then mounted and the tree unpacked into it
};

struct GuestPlan {
  std::vector<GuestStep> build;   ///< in order
  std::vector<GuestFill> fills;   ///< file systems that user space makes in their place on the disk are not among them
  std::vector<GuestNoise> noise;  ///< drives that `build` needs
};

/// The bytes of an encrypted volume's key.
using KeyOf = std::function<std::string(const LuksVolume&)>;

/// The layout must be placed and have its ids. `reproducible`: encrypted volumes, too, are the same every time.
/// `inside`: XFS file systems (by index) that the guest has to make, since user space can't.
[[nodiscard]] GuestPlan plan_guest(const DiskLayout& layout, const Placement& placement, const KeyOf& key_of,
                                   bool reproducible = false, const std::set<std::size_t>& inside = {});

/// How the guest sees the partition or volume `name`.
[[nodiscard]] std::string guest_device(const DiskLayout& layout, const Placement& placement, const std::string& name);

/// Whether user space makes this type of file system (builder/disk/file_system_maker).
[[nodiscard]] bool is_direct_type(const DiskFileSystem& file_system);

}  // namespace hearth::builder
