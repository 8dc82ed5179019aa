#include "builder/boot/grub_image.hpp"

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_grub_image_sector = 512;
constexpr std::size_t k_core_address = 0x5c;
constexpr std::size_t k_boot_drive = 0x64;
constexpr std::size_t k_drive_check = 0x66;
constexpr std::size_t k_first_block = 0x1f4;
constexpr std::size_t k_block_sectors = 0x1fc;
constexpr std::size_t k_block_segment = 0x1fe;
constexpr std::uint64_t k_load_segment = 0x820;  // GRUB_BOOT_MACHINE_KERNEL_SEG 0x800, one sector further

}  // namespace

std::string patched_boot_sector(std::string boot_img, std::uint64_t core_sector) {
  const bool signature = boot_img.size() == k_grub_image_sector && boot_img.ends_with("\x55\xaa");
  if (!signature) throw Error(ErrorKind::input, "GRUB's boot.img is not a boot sector of 512 bytes");
  put_le(boot_img, k_core_address, core_sector, 8);
  put_le(boot_img, k_boot_drive, 0xff, 1);
  put_le(boot_img, k_drive_check, 0x9090, 2);
  return boot_img;
}

std::string patched_core_image(std::string core_img, std::uint64_t core_sector) {
  if (core_img.size() <= k_grub_image_sector) throw Error(ErrorKind::input, "GRUB's core image is too small");
  core_img.resize((core_img.size() + k_grub_image_sector - 1) / k_grub_image_sector * k_grub_image_sector, '\0');
  const std::uint64_t rest = core_img.size() / k_grub_image_sector - 1;
  if (rest > 0xffff) throw Error(ErrorKind::input, cat("GRUB's core image is too large: ", core_img.size(), " bytes"));
  put_le(core_img, k_first_block, core_sector + 1, 8);
  put_le(core_img, k_block_sectors, rest, 2);
  put_le(core_img, k_block_segment, k_load_segment, 2);
  return core_img;
}

}  // namespace hearth::builder
