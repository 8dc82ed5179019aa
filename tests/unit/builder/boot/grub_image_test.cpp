#include "builder/boot/grub_image.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

std::string boot_sector() {
  std::string bytes(510, 'b');
  return bytes + "\x55\xaa";
}

TEST(GrubImageTest, TheBootSectorLearnsWhereTheCoreLies) {
  const std::string patched = patched_boot_sector(boot_sector(), 0x0102);
  EXPECT_EQ(patched.substr(0x5c, 8), std::string("\x02\x01\0\0\0\0\0\0", 8));
  EXPECT_EQ(patched.substr(0x64, 1), "\xff");
  EXPECT_EQ(patched.substr(0x66, 2), "\x90\x90");
  EXPECT_EQ(patched.substr(0, 0x5c), std::string(0x5c, 'b'));
}

TEST(GrubImageTest, SomethingElseIsNoBootSector) {
  EXPECT_THROW((void)patched_boot_sector("short", 1), Error);
  EXPECT_THROW((void)patched_boot_sector(std::string(512, 'x'), 1), Error);
}

TEST(GrubImageTest, TheCoreLearnsWhereItsRestLies) {
  const std::string patched = patched_core_image(std::string(512 * 3 + 1, 'c'), 2048);
  EXPECT_EQ(patched.size(), 512U * 4);
  EXPECT_EQ(patched.substr(0x1f4, 8), std::string("\x01\x08\0\0\0\0\0\0", 8));
  EXPECT_EQ(patched.substr(0x1fc, 2), std::string("\x03\0", 2));
  EXPECT_EQ(patched.substr(0x1fe, 2), std::string("\x20\x08", 2));
}

TEST(GrubImageTest, ACoreOfOneSectorIsRefused) {
  EXPECT_THROW((void)patched_core_image(std::string(512, 'c'), 1), Error);
}

}  // namespace
}  // namespace hearth::builder
