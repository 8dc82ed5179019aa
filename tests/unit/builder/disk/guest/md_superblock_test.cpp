#include "builder/disk/guest/md_superblock.hpp"

#include <gmock/gmock.h>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/uuid.hpp"
#include "builder/disk/layout/partition_table.hpp"

namespace hearth::builder {
namespace {

constexpr std::size_t k_members = 3;

/// The sum as the kernel's calc_sb_1_csum() makes it.
std::uint32_t peer_sum(std::string block) {
  put_le(block, 216, 0, 4);
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < 256 + 4; at += 4) sum += get_le(block, at, 4);
  sum += get_le(block, 260, 2);
  return static_cast<std::uint32_t>(sum + (sum >> 32U));
}

std::string block_with(std::uint64_t time, std::uint64_t events, char id) {
  std::string block(k_md_superblock, '\0');
  put_le(block, 0, 0xa92b4efc, 4);
  put_le(block, 4, 1, 4);
  block.replace(16, 16, std::string(16, '\xee'));
  put_le(block, 64, time, 8);
  put_le(block, 72, 1, 4);
  block.replace(168, 16, std::string(16, id));
  put_le(block, 192, time + (std::uint64_t{123} << 40U), 8);
  put_le(block, 200, events, 8);
  put_le(block, 220, k_members, 4);
  put_le(block, 256, 0xfffe00010000, 6);
  put_le(block, 216, peer_sum(block), 4);
  return block;
}

TEST(MdSuperblockTest, TimesEventsAndTheMembersIdAreTheSameEveryTime) {
  const std::string uuid = "12345678-9abc-4def-8123-456789abcdef";
  const std::string fixed = fixed_md_superblock(block_with(1'700'000'000, 17, 'x'), uuid, 42);
  EXPECT_TRUE(fixed == fixed_md_superblock(block_with(1'800'000'000, 3, 'y'), uuid, 42));
  EXPECT_EQ(get_le(fixed, 64, 8), 42U);
  EXPECT_EQ(get_le(fixed, 192, 8), 42U);
  EXPECT_EQ(get_le(fixed, 72, 4), 1U) << "the level";
  EXPECT_EQ(fixed.substr(168, 16), guid_bytes(uuid));
  EXPECT_EQ(fixed.substr(16, 16), std::string(16, '\xee')) << "the array's own id";
  EXPECT_EQ(get_le(fixed, 216, 4), peer_sum(fixed));
}

TEST(MdSuperblockTest, WhatIsNoMemberIsRefused) {
  std::string torn = block_with(1, 2, 'x');
  torn[100] = 'x';
  for (const std::string& bad : {std::string(k_md_superblock, '\0'), std::string(), torn}) {
    EXPECT_THROW((void)fixed_md_superblock(bad, "12345678-9abc-4def-8123-456789abcdef", 42), Error);
  }
}

TEST(MdSuperblockTest, ItsPlaceIsThatOfItsVersion) {
  EXPECT_EQ(md_superblock_offset("1.2", 1 << 20), 4096U);
  EXPECT_EQ(md_superblock_offset("1.0", 1 << 20), (1U << 20U) - 8192U);
  EXPECT_EQ(md_superblock_offset("1.0", (1 << 20) + 512), (1U << 20U) - 8192U);
}

}  // namespace
}  // namespace hearth::builder
