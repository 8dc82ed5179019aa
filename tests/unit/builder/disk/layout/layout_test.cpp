#include "builder/disk/layout/layout.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

DiskLayout sample() {
  DiskLayout layout;
  layout.table = PartitionTable::gpt;
  layout.partitions = {{.name = "a", .size = std::uint64_t{1}, .type = std::string(k_esp_type)},
                       {.name = "b", .size = Percent{100}, .type = std::string(k_bios_boot_type)}};
  layout.file_systems = {{.name = "fat", .type = "vfat", .label = "A", .mount_point = "/boot/efi", .partition = 0},
                         {.name = "root", .type = "ext4", .label = "B", .mount_point = "/", .partition = 1}};
  return layout;
}

TEST(LayoutTest, TheSameSeedGivesTheSameIdsAndAnotherSeedOthers) {
  EXPECT_EQ(assign_ids(sample(), "one"), assign_ids(sample(), "one"));
  EXPECT_NE(assign_ids(sample(), "one").disk_id, assign_ids(sample(), "two").disk_id);
  EXPECT_NE(assign_ids(sample(), "one").partitions[0].guid, assign_ids(sample(), "one").partitions[1].guid);
}

TEST(LayoutTest, IdsHaveTheFormOfTheirKind) {
  const DiskLayout layout = assign_ids(sample(), "one");
  EXPECT_EQ(layout.file_systems[0].uuid.size(), 9U);
  EXPECT_EQ(layout.file_systems[0].uuid[4], '-');
  EXPECT_EQ(layout.file_systems[1].uuid.size(), 36U);
  EXPECT_EQ(layout.file_systems[1].uuid[14], '4');
  DiskLayout mbr = sample();
  mbr.table = PartitionTable::mbr;
  EXPECT_EQ(assign_ids(mbr, "one").disk_id.size(), 8U);
}

TEST(LayoutTest, AnIdThatWasGivenStays) {
  DiskLayout layout = sample();
  layout.file_systems[1].uuid = "11111111-2222-4333-8444-555555555555";
  EXPECT_EQ(assign_ids(layout, "one").file_systems[1].uuid, "11111111-2222-4333-8444-555555555555");
}

TEST(LayoutTest, BlanksInALabelAreEscapedInFstab) {
  DiskLayout layout = sample();
  layout.file_systems[1].label = "my root";
  layout.file_systems[1].fstab = FstabEntry{"noatime", "0", "1"};
  EXPECT_EQ(fstab_text(layout), "LABEL=my\\040root / ext4 noatime 0 1\n");
  layout = assign_ids(layout, "one");
  EXPECT_EQ(fstab_text(layout), cat("UUID=", layout.file_systems[1].uuid, " / ext4 noatime 0 1\n"));
  EXPECT_EQ(fstab_text(layout, FstabName::label), "LABEL=my\\040root / ext4 noatime 0 1\n");
}

}  // namespace
}  // namespace hearth::builder
