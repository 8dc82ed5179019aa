// What a live system needs in its ramdisk beside what Debian's initramfs-tools put there: a script that finds the
// medium, mounts the tree's SquashFS with room for changes in memory, and the kernel modules for that. It is a second
// archive: boot loaders hand several to the kernel, which unpacks one over the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

struct CpioMember {
  std::string path;        ///< relative, its directories listed before it
  std::uint32_t mode = 0;  ///< with the file type: 0040755, 0100644
  std::string bytes = {};
};

/// An archive in the form "newc" (Linux, Documentation/driver-api/early-userspace/buffer-format.rst). Pure; owners are
/// root, times `epoch`.
[[nodiscard]] std::string cpio_archive(const std::vector<CpioMember>& members, std::int64_t epoch);

/// The modules of these names (without ".ko") and all that they depend on, dependencies first, as paths below
/// /lib/modules/VERSION; names that `modules_dep` does not list are left out (they are built in). Pure.
[[nodiscard]] std::vector<std::string> module_closure(std::string_view modules_dep,
                                                      const std::vector<std::string>& names);

/// The second ramdisk. `medium_file` is a path on the medium that no other medium has. Throws Error(unsupported) for a
/// tree without initramfs-tools or busybox.
[[nodiscard]] std::string live_ramdisk(const fs::path& tree, const std::string& kernel_version,
                                       const std::string& medium_file, std::int64_t epoch);

}  // namespace hearth::builder
