// GRUB without grub-install: no root, no loop device, no probing. grub-mkimage makes core images from the host's GRUB
// files with every needed module inside; they find the root file system by its UUID and read one grub.cfg there, which
// names the kernel by the distribution's own links and so never has to be generated again.
//
//   GrubCores::start(layout) as soon as the layout has its ids: they take half a second, beside other work
//   write_boot_files(tree)   before make_disk: /boot/grub/grub.cfg, and /EFI/BOOT/BOOTX64.EFI on the EFI partition
//   install_bios_boot(raw)   after make_disk: boot sector and core image outside of all file systems
#pragma once

#include <future>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/boot/kernels.hpp"
#include "builder/boot/loader_kind.hpp"
#include "builder/disk/layout/placement.hpp"

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
  LoaderKind loader = LoaderKind::grub;                          ///< on UEFI machines
  RootName root = RootName::uuid;
  fs::path grub_files = "/usr/lib/grub";  ///< holds i386-pc, x86_64-efi and x86_64-efi-signed
  fs::path shim_files = "/usr/lib/shim";
  fs::path systemd_files = "/usr/lib/systemd/boot/efi";  ///< systemd-boot and its stub
  std::int64_t epoch = 0;                                ///< time of the files written into the tree
  bool keep_config = false;                              ///< the tree has a grub.cfg of its own
};

/// To be called before a build starts: throws Error(not_found) naming the Debian package when GRUB's files or
/// grub-mkimage are missing for one of the kinds; Error(input) when the chosen loader needs UEFI and there is none.
void require_grub(const Firmware& firmware, const BootOptions& options, const Environment& env);

/// grub.cfg for these kernels. Paths are relative to the file system that holds /boot.
[[nodiscard]] std::string grub_config(const DiskLayout& layout, const BootKernels& kernels, const BootOptions& options);

/// The kernel's command line without console and extra words: root=UUID=… ro. Throws Error(input) where the root can't
/// be named so (a PARTUUID needs a partition).
[[nodiscard]] std::string kernel_command_line(const DiskLayout& layout, RootName root = RootName::uuid);
/// The whole of it.
[[nodiscard]] std::string full_command_line(const DiskLayout& layout, const BootOptions& options);

/// A core image by grub-mkimage for `target` ("x86_64-efi"), with what Linux needs, and more, inside, that runs
/// `script` first.
[[nodiscard]] std::string make_core(const std::string& target, const std::vector<std::string>& extra_modules,
                                    const std::string& script, const BootOptions& options, const fs::path& scratch,
                                    CommandRunner& runner);
/// GRUB's modules for a UEFI core image, besides the common ones.
[[nodiscard]] const std::vector<std::string>& efi_modules();

/// The core images that a layout's firmware starts, each made in a thread of its own. Going away waits for them.
class GrubCores {
 public:
  /// Those for `firmware`, as far as GRUB is its loader. The layout must have its ids. `scratch` is an existing
  /// directory for temporary files; it and `runner` must live as long as the cores do.
  [[nodiscard]] static GrubCores start(const Firmware& firmware, const DiskLayout& layout, const BootOptions& options,
                                       const fs::path& scratch, CommandRunner& runner);
  /// Wait for the image and give it away, or throw what kept it from being made.
  [[nodiscard]] std::string bios() { return bios_.get(); }
  [[nodiscard]] std::string uefi() { return uefi_.get(); }

 private:
  std::future<std::string> bios_;
  std::future<std::string> uefi_;
};

/// Writes grub.cfg and, for UEFI, the loader into the tree. The layout must have its ids.
void write_boot_files(const fs::path& tree, const DiskLayout& layout, const BootOptions& options, GrubCores& cores);

/// Writes the BIOS boot code of a finished raw image: boot.img into sector 0 (the partition table stays), the core
/// image into the BIOS boot partition, or behind the MBR. Does nothing when the layout isn't for BIOS.
void install_bios_boot(const fs::path& raw, const DiskLayout& layout, const Placement& placement,
                       const BootOptions& options, GrubCores& cores);

}  // namespace hearth::builder
