// The figures are the field's own (contract, "Golden values"): 1 GiB disks, partitions of 10 MiB.
#include "builder/disk/layout/placement.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

constexpr std::uint64_t k_placement_mib = 1024 * 1024;
constexpr std::uint64_t k_disk = 1024 * k_placement_mib;

DiskLayout mbr(std::size_t primaries, std::size_t logicals) {
  DiskLayout layout;
  layout.table = PartitionTable::mbr;
  for (std::size_t i = 0; i < primaries + logicals; ++i) {
    layout.partitions.push_back(
        {.name = cat("p", i), .size = 10 * k_placement_mib, .type = "83", .primary = i < primaries});
  }
  return layout;
}

/// "NUMBER FIRST LAST" in sectors of 512 bytes.
std::string shown(const Placement& placement, std::size_t i) {
  const Extent& extent = placement.partitions[i];
  return cat(placement.numbers[i], " ", extent.offset / 512, " ", extent.end() / 512 - 1);
}

TEST(PlacementTest, OneLogicalPartitionLiesBehindItsLinkSector) {
  const Placement placement = place(mbr(0, 1), k_disk);
  EXPECT_EQ(shown(placement, 0), "5 4096 24575");
  EXPECT_EQ(placement.extended, (Extent{2048 * 512, k_disk - 2048 * 512}));
}

TEST(PlacementTest, LogicalPartitionsFollowThreePrimaries) {
  const Placement placement = place(mbr(3, 3), k_disk);
  EXPECT_EQ(shown(placement, 0), "1 2048 22527");
  EXPECT_EQ(shown(placement, 1), "2 22528 43007");
  EXPECT_EQ(shown(placement, 2), "3 43008 63487");
  EXPECT_EQ(placement.extended->offset / 512, 63488U);
  EXPECT_EQ(shown(placement, 3), "5 65536 86015");
  EXPECT_EQ(shown(placement, 4), "6 88064 108543");
  EXPECT_EQ(shown(placement, 5), "7 110592 131071");
}

TEST(PlacementTest, SixtyFourLogicalPartitionsFit) {
  const Placement placement = place(mbr(0, 64), k_disk);
  EXPECT_EQ(placement.partitions[63].offset / 512, 4096U + 63 * 22528);
}

TEST(PlacementTest, TheLastAlignedPieceOfAnMbrDiskStaysFree) {
  DiskLayout layout = mbr(2, 0);
  layout.partitions[0].size = 20 * k_placement_mib;
  layout.partitions[1].size = Percent{100};
  const Placement placement = place(layout, 313984ULL * 512);
  EXPECT_EQ(shown(placement, 0), "1 2048 43007");
  EXPECT_EQ(placement.partitions[1], (Extent{43008 * 512, 268928ULL * 512}));
}

TEST(PlacementTest, GptPercentagesAreSharesOfWhatIsLeft) {
  DiskLayout layout;
  layout.table = PartitionTable::gpt;
  layout.partitions = {{.name = "a", .size = 8 * k_placement_mib},
                       {.name = "b", .size = 8 * k_placement_mib},
                       {.name = "c", .size = Percent{100}}};
  const Placement placement = place(layout, k_disk);
  EXPECT_EQ(placement.partitions[2], (Extent{17 * k_placement_mib, 1006 * k_placement_mib}));
}

TEST(PlacementTest, WhatDoesNotFitIsAnErrorNamingThePartition) {
  DiskLayout layout;
  layout.table = PartitionTable::gpt;
  layout.partitions = {{.name = "big", .size = 2 * k_disk}};
  try {
    (void)place(layout, k_disk);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("smaller than the block device configuration: partition big"));
  }
}

}  // namespace
}  // namespace hearth::builder
