// What lies on the EFI system partition besides GRUB's own core image: systemd-boot with its entries, a unified kernel
// image, or the chain that Secure Boot accepts (Debian's signed shim, signed GRUB, signed kernel). Sources: UAPI Group,
// "Boot Loader Specification"; shim's README.
#pragma once

#include <string>
#include <vector>

#include "builder/boot/grub.hpp"

namespace hearth::builder {

struct BootFile {
  std::string path;  ///< below the EFI system partition: "/EFI/BOOT/BOOTX64.EFI"
  std::string bytes;
  bool operator==(const BootFile&) const = default;
};

/// The files of a loader other than GRUB's own core image (options.loader).
[[nodiscard]] std::vector<BootFile> efi_loader_files(const fs::path& tree, const DiskLayout& layout,
                                                     const BootOptions& options);

/// The signed chain: shim, GRUB (`grub_file`: grubx64.efi.signed, or gcdx64.efi.signed for a CD) and MokManager.
[[nodiscard]] std::vector<BootFile> signed_chain(const fs::path& tree, const BootOptions& options,
                                                 const char* grub_file);

}  // namespace hearth::builder
