// GRUB's i386-pc image format, as far as an installer writes into it (GRUB 2.06, include/grub/offsets.h and
// include/grub/i386/pc/boot.h). Pure.
#pragma once

#include <cstdint>
#include <string>

namespace hearth::builder {

/// boot.img (512 bytes) made to load the core image from `core_sector` of the BIOS boot drive. Offsets: 0x5c first
/// sector of the core (8 bytes), 0x64 boot drive (0xff = the one the BIOS gave), 0x66 the drive check, made a no-op for
/// BIOSes that give a wrong one. Throws Error(input) when it isn't a boot.img.
[[nodiscard]] std::string patched_boot_sector(std::string boot_img, std::uint64_t core_sector);

/// The core image made to load the rest of itself from `core_sector` + 1 on: its first sector ends in a block list
/// entry, 0x1f4 first sector (8 bytes), 0x1fc sectors (2), 0x1fe segment (2). Padded to whole sectors.
[[nodiscard]] std::string patched_core_image(std::string core_img, std::uint64_t core_sector);

}  // namespace hearth::builder
