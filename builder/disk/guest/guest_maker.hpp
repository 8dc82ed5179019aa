// The guestfs maker: what the direct maker can't do is done in a guest (builder/guestfs), in one run: arrays, encrypted
// and logical volumes, XFS. What user space can make, it makes: file systems on plain partitions in their place, those
// on volumes as drives of the guest, which copies them over. So ext, FAT and swap are the same bytes from either maker.
#pragma once

#include <functional>
#include <string_view>

#include "builder/disk/direct_maker.hpp"
#include "builder/disk/guest/guest_hooks.hpp"
#include "builder/guestfs/guest.hpp"

namespace hearth::builder {

struct GuestOptions {
  fs::path scratch;           ///< an existing directory for temporary files and mounts
  std::int64_t epoch = 0;     ///< SOURCE_DATE_EPOCH
  bool reproducible = false;  ///< encrypted volumes, too, are to be the same every time (luks_noise.hpp)
  StartGuest start;
  std::vector<DeviceHook> hooks = {};                  ///< run against the disk when it is filled
  std::function<void(std::string_view)> on_step = {};  ///< told what is being done
};

/// As make_disk() (direct_maker.hpp), for every layout that require_makeable() takes.
void make_guest_disk(const fs::path& tree, const DiskLayout& layout, const Placement& placement, const fs::path& raw,
                     const GuestOptions& options, CommandRunner& runner);

/// The key of an encrypted volume: the file in the tree as it is; the file of this machine without a line break at its
/// end, since it will be typed. Throws Error(input) when there is none, or it is empty.
[[nodiscard]] std::string key_of_volume(const LuksVolume& volume, const fs::path& tree);

}  // namespace hearth::builder
