// The choices about booting that a user has by name.
#pragma once

#include <string_view>

namespace hearth::builder {

/// What starts Linux on UEFI machines; on BIOS machines it is always GRUB.
enum class LoaderKind {
  grub,          ///< GRUB with all its modules in one program, made here; not signed
  signed_grub,   ///< Debian's signed shim and GRUB: starts where Secure Boot is enforced, if the kernel is signed, too
  systemd_boot,  ///< systemd-boot; kernel and ramdisk lie on the EFI system partition
  unified,       ///< kernel, ramdisk and command line as one UEFI program; no menu
};

/// DIB_BOOTLOADER: grub, grub-signed, systemd-boot or uki. Throws Error(usage), with the nearest name, for another.
[[nodiscard]] LoaderKind parse_loader(std::string_view name);

/// How the kernel's command line names the root file system.
enum class RootName { uuid, partuuid, label };

/// DIB_BOOTLOADER_ROOT: uuid, partuuid or label. Throws Error(usage) for another.
[[nodiscard]] RootName parse_root_name(std::string_view name);

}  // namespace hearth::builder
