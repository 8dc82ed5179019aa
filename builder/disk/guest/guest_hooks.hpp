// Hooks that need a real block device run in the guest, against the finished disk: those of finalise.d inside the image
// (its file systems mounted, /dev, /proc and /sys the guest's), those of block-device.d in the guest's own system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sys/process.hpp"
#include "builder/disk/guest/guest_plan.hpp"
#include "builder/guestfs/guest.hpp"

namespace hearth::builder {

struct DeviceHook {
  std::string label;        ///< "finalise.d/60-raid"
  bool in_target = true;    ///< inside the image
  std::string script;       ///< its text
  Environment environment;  ///< what it would see elsewhere; the block devices are set anew
};

/// Whether a script names IMAGE_BLOCK_DEVICE or IMAGE_BLOCK_DEVICES outside comments.
[[nodiscard]] bool names_block_device(std::string_view script);

/// The script for Guest::run() that runs one hook. Pure. The image is mounted below /sysroot.
[[nodiscard]] std::string device_hook_script(const DeviceHook& hook, const DiskLayout& layout,
                                             const Placement& placement);

/// Mounts the file systems of the disk where they belong, runs the hooks in order, unmounts. Volumes must be open.
/// Returns what the hooks printed. Throws with the hook's name and its last words.
std::string run_device_hooks(Guest& guest, const std::vector<DeviceHook>& hooks, const DiskLayout& layout,
                             const Placement& placement);

}  // namespace hearth::builder
