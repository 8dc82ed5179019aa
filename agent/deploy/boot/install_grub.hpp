// The boot loader of an image that is but a file system: its own GRUB, installed by its own programs, in the image.
#pragma once

#include <string>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent::deploy {

struct GrubWish {
  std::string disk;       ///< "/dev/sda"
  std::string root;       ///< the partition with the image's file system
  std::string root_type;  ///< for mount(2)
  std::string esp;        ///< empty = BIOS
  std::string esp_uuid;
};

/// Mounts the image, runs GRUB's programs in it, and unmounts it. Returns what was done. Throws Error: unsupported when
/// the image has no GRUB, external when GRUB fails.
std::string install_grub(const GrubWish& wish, CommandRunner& runner);

/// The part within: `tree` is where the image is mounted, with /dev, an empty /proc, /sys and, by UEFI, /boot/efi.
std::string run_grub(const std::string& tree, const GrubWish& wish, const FileReader& files, CommandRunner& runner);

/// /etc/fstab with the EFI system partition `uuid` at /boot/efi, and no other there.
[[nodiscard]] std::string fstab_with_esp(const std::string& fstab, const std::string& uuid);

}  // namespace hearth::agent::deploy
