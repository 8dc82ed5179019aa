// An ISO image that starts a live system: from a CD or, written to it byte by byte, from a USB stick; by BIOS and by
// UEFI. GRUB loads the tree's own kernel and ramdisk; the tree is a SquashFS file on the medium, changes stay in
// memory. Sources: ECMA-119; El Torito; xorriso's manual (-as mkisofs) for the hybrid parts.
#pragma once

#include <string>

#include "builder/boot/grub.hpp"

namespace hearth::builder {

struct LiveIso {
  const fs::path& tree;
  const DiskLayout& layout;  ///< says where the kernel is
  BootOptions boot;          ///< menu, consoles, words for the kernel; loader signed_grub: for Secure Boot
  std::string title;
  fs::path scratch;
};

/// Writes the file `target`. Equal trees give equal bytes.
void make_live_iso(const LiveIso& iso, const fs::path& target, CommandRunner& runner);

/// xorriso's command line. `id` is a UUID; `staging` holds boot/grub/bios.img; `efi` is the EFI system partition.
[[nodiscard]] std::vector<std::string> iso_argv(const LiveIso& iso, const fs::path& staging, const fs::path& efi,
                                                const std::string& id, const fs::path& target);

}  // namespace hearth::builder
