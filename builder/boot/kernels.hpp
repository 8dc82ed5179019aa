// Which kernel and ramdisk the boot menu names: the links that the distribution keeps pointing at its newest kernel, so
// that the menu never has to be written again; or plain files where there are no links.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "builder/disk/layout/layout.hpp"

namespace hearth::builder {

/// One bootable kernel, by its paths in the image ("/vmlinuz", "/boot/initrd.img"). No ramdisk: `initrd` is empty.
struct KernelEntry {
  std::string kernel;
  std::string initrd;
  bool operator==(const KernelEntry&) const = default;
};

struct BootKernels {
  KernelEntry current;
  std::optional<KernelEntry> previous;  ///< the ".old" links; they may appear later, so links always name them
  bool operator==(const BootKernels&) const = default;
};

/// Looks for /vmlinuz, /boot/vmlinuz (links), then the newest /boot/vmlinuz-*. Where /boot is a file system of its own,
/// only what lies in it counts, because a boot loader can't follow a link from one file system to another; FAT holds no
/// links. Throws Error(not_found) when the tree has no kernel.
[[nodiscard]] BootKernels find_kernels(const fs::path& tree, const DiskLayout& layout);

/// Whether find_kernels() would find one.
[[nodiscard]] bool has_kernel(const fs::path& tree, const DiskLayout& layout);

/// For a /boot of its own: makes /boot/vmlinuz and /boot/initrd.img from the links in "/", and tells Debian's kernel
/// packages to keep them there (link_in_boot in /etc/kernel-img.conf). Does nothing otherwise.
void move_kernel_links(const fs::path& tree, const DiskLayout& layout, std::int64_t epoch);

/// Compares by runs of digits as numbers, so that 6.1.10 comes after 6.1.9.
[[nodiscard]] bool version_less(const std::string& a, const std::string& b);

}  // namespace hearth::builder
