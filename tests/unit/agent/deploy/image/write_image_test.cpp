#include "agent/deploy/image/write_image.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

constexpr std::uint64_t k_disk_bytes = std::uint64_t{64} << 20U;

/// A boot sector with one partition of so many sectors.
std::string sector_with(std::uint32_t first, std::uint32_t sectors) {
  std::string bytes(std::size_t{1} << 20U, '\0');
  bytes[446 + 4] = '\x83';
  for (unsigned i = 0; i < 4; ++i) {
    bytes[446 + 8 + i] = static_cast<char>(first >> (8 * i));
    bytes[446 + 12 + i] = static_cast<char>(sectors >> (8 * i));
  }
  bytes[510] = '\x55';
  bytes[511] = '\xaa';
  return bytes;
}

TEST(WriteImage, ATableSaysWhichSectorsItCounts) {
  std::string gpt = sector_with(1, 0xffffffff);
  gpt.replace(512, 8, "EFI PART");
  EXPECT_EQ(sector_of_table(gpt, k_disk_bytes), 512U);
  gpt = sector_with(1, 0xffffffff);
  gpt.replace(4096, 8, "EFI PART");
  EXPECT_EQ(sector_of_table(gpt, k_disk_bytes), 4096U);
}

TEST(WriteImage, AnOldTableCountsWhatFitsIntoTheImage) {
  EXPECT_EQ(sector_of_table(sector_with(2048, k_disk_bytes / 512 - 2048), k_disk_bytes), 512U);
  EXPECT_EQ(sector_of_table(sector_with(256, k_disk_bytes / 4096 - 256), k_disk_bytes), 4096U);
  EXPECT_EQ(sector_of_table(std::string(1 << 20, '\0'), k_disk_bytes), 0U);
  EXPECT_EQ(sector_of_table("", k_disk_bytes), 0U);
}

TEST(WriteImage, APartitionTableIsKnownByItsMarks) {
  EXPECT_TRUE(has_partition_table(sector_with(1, 1)));
  EXPECT_FALSE(has_partition_table(std::string(1 << 20, '\0')));
  EXPECT_FALSE(has_partition_table("short"));
}

}  // namespace
}  // namespace hearth::agent::deploy
