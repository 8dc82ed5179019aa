// GRUB without grub-install: no root, no loop device, no probing. grub-mkimage makes core images from the host's GRUB
// files with every needed module inside; they find the root file system by its UUID and read one grub.cfg there, which
// names the kernel by the distribution's own links and so never has to be generated again.
//
//   write_boot_files(tree)   before make_disk: /boot/grub/grub.cfg, and /EFI/BOOT/BOOTX64.EFI on the EFI partition
//   install_bios_boot(raw)   after make_disk: boot sector and core image outside of all file systems
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/boot/kernels.hpp"
#include "builder/disk/placement.hpp"

namespace hearth::builder {

/// The kinds of firmware that a layout can be started by.
struct Firmware {
  bool bios = false;
  bool uefi = false;
  bool operator==(const Firmware&) const = default;
};

/// BIOS: an MBR, or a GPT with a BIOS boot partition (EF02), with sectors of 512 bytes. UEFI: a mounted FAT file system
/// on an EFI system partition (EF00). Neither for a disk without partitions.
[[nodiscard]] Firmware firmware_of(const DiskLayout& layout);

struct BootOptions {
  int timeout = 5;  ///< seconds the menu waits, DIB_GRUB_TIMEOUT
  std::string title = "Linux";
  std::vector<std::string> consoles = {"tty0", "ttyS0,115200"};  ///< the kernel's; the last one is /dev/console
  std::string extra_command_line;                                ///< DIB_BOOTLOADER_DEFAULT_CMDLINE
  fs::path grub_files = "/usr/lib/grub";                         ///< holds i386-pc and x86_64-efi
  std::int64_t epoch = 0;                                        ///< time of the files written into the tree
  bool keep_config = false;                                      ///< the tree has a grub.cfg of its own
};

/// To be called before a build starts: throws Error(not_found) naming the Debian package when GRUB's files or
/// grub-mkimage are missing for one of the kinds.
void require_grub(const Firmware& firmware, const BootOptions& options, const Environment& env);

/// grub.cfg for these kernels. Paths are relative to the file system that holds /boot.
[[nodiscard]] std::string grub_config(const DiskLayout& layout, const BootKernels& kernels, const BootOptions& options);

/// The kernel's command line without console and extra words: root=UUID=… ro.
[[nodiscard]] std::string kernel_command_line(const DiskLayout& layout);

/// Writes grub.cfg and, for UEFI, the loader into the tree. The layout must have its ids. `scratch` is an existing
/// directory for temporary files.
void write_boot_files(const fs::path& tree, const DiskLayout& layout, const BootOptions& options,
                      const fs::path& scratch, CommandRunner& runner);

/// Writes the BIOS boot code of a finished raw image: boot.img into sector 0 (the partition table stays), the core
/// image into the BIOS boot partition, or behind the MBR. Does nothing when the layout isn't for BIOS.
void install_bios_boot(const fs::path& raw, const DiskLayout& layout, const Placement& placement,
                       const BootOptions& options, const fs::path& scratch, CommandRunner& runner);

}  // namespace hearth::builder
