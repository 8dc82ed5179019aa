// What a build is going to do about disks: the layout, whose boot loader, the output formats and who makes them. Told
// by the elements' block-device configuration and the request, and refused before the first hook runs; a value, in
// which nothing changes any more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "builder/disk/guest/guest_hooks.hpp"
#include "builder/disk/layout/block_config.hpp"
#include "builder/disk/layout/image_size.hpp"
#include "builder/disk/maker_choice.hpp"
#include "builder/output/output_set.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Whose `bootloader` element is in the set.
enum class BootLoader { none, ours, foreign };

struct DiskPlan {
  std::string config;  ///< the block-device YAML as it was found
  DiskLayout layout;   ///< with its ids; of several disks the one with the root, which has the others
  BootLoader boot_loader = BootLoader::none;
  std::vector<OutputFormat> formats;
  std::optional<MakerChoice> maker;  ///< who makes the disk, and why; nothing when no format needs one
  /// Hooks that run in the guest, against the disk, and so not in their phases: scripts of block-device.d and
  /// finalise.d that name IMAGE_BLOCK_DEVICE, but for those of bootloader and lvm, which get GRUB's programs that need
  /// no disk. Empty when the direct maker makes the disk.
  std::vector<DeviceHook> device_hooks;
  std::string id_seed;  ///< from which all ids follow

  [[nodiscard]] bool makes_disk() const;  ///< whether a format needs one
};

/// Chooses and checks the configuration: DIB_BLOCK_DEVICE_CONFIG, else the first element's file, else a plain
/// file-system image. Throws Error(input) with file:line:column, Error(unsupported) for what needs another maker.
[[nodiscard]] DiskPlan plan_disk(const ImageRequest& request, const BuildPlan& plan);

/// All disks that are made, the one with the root first.
[[nodiscard]] std::vector<const DiskLayout*> disks_of(const DiskPlan& disk);
/// What is written of one of disks_of(): with the first all that is made of the tree, too.
[[nodiscard]] std::vector<Output> outputs_of(const DiskPlan& disk, const DiskLayout& one, const ImageRequest& request);
/// The same of all of them.
[[nodiscard]] std::vector<Output> all_outputs(const DiskPlan& disk, const ImageRequest& request);
/// All files that there are going to be.
[[nodiscard]] std::vector<fs::path> output_files(const DiskPlan& disk, const ImageRequest& request);

/// The built-in layout with a root of this type: of an output that is one file system.
[[nodiscard]] DiskLayout file_system_layout(const DiskPlan& disk, const ImageRequest& request, const std::string& type);

[[nodiscard]] SizeRule size_rule(const ImageRequest& request);
/// DIB_IMAGE_SIZE as block-device.d sees it.
[[nodiscard]] std::uint64_t size_kib(const DiskPlan& disk, const ImageRequest& request, const TreeUsage& usage);

/// What hooks get to know of the disk.
struct DiskFacts {
  std::string root_label;
  std::string root_fs_type;
  std::string boot_label;
  std::vector<std::string> mount_points;
  std::string device;   ///< IMAGE_BLOCK_DEVICE: a name only, there is no device
  std::string devices;  ///< IMAGE_BLOCK_DEVICES, " [image0]=… "
};
[[nodiscard]] DiskFacts disk_facts(const DiskPlan& disk);
/// What GRUB's programs would find out from the disk: HEARTH_GRUB_FACTS (elements/.lib/target/grub-probe).
[[nodiscard]] std::string grub_facts(const DiskPlan& disk);

}  // namespace hearth::builder
