#include "builder/disk/guest/guest_plan.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/unit/builder/disk/layout/volume_layouts.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t k_mebibyte = 1024 * 1024;

class GuestPlanTest : public testing::Test {
 protected:
  DiskLayout layout_ = layout_with_all_volumes();
  Placement placement_ = place(layout_, 1024 * k_mebibyte);
  KeyOf key_of_ = [](const LuksVolume&) { return std::string("k'\0\n", 4); };
  GuestPlan plan_ = plan_guest(layout_, placement_, key_of_);
};

TEST_F(GuestPlanTest, VolumesAreMadeWithTheSizesAndIdsOfTheLayout) {
  ASSERT_EQ(plan_.build.size(), 3U);
  EXPECT_THAT(plan_.build[0].script, AllOf(HasSubstr("mdadm --create /dev/md/md0"),
                                           HasSubstr(cat("--uuid=", mdadm_uuid(layout_.volumes.arrays[0].uuid))),
                                           HasSubstr("--data-offset=1024K"), HasSubstr(cat("--size=", 99 * 1024)),
                                           HasSubstr("/dev/disk/guestfs/disk2 /dev/disk/guestfs/disk3")));
  EXPECT_THAT(plan_.build[1].script, AllOf(HasSubstr("luksFormat --type luks2"),
                                           HasSubstr(layout_.volumes.encrypted[0].uuid), HasSubstr("--offset 32768"),
                                           HasSubstr("cryptsetup open --key-file /tmp/hearth.key "
                                                     "/dev/disk/guestfs/disk5 safe"),
                                           HasSubstr("rm -f /tmp/hearth.key")));
  EXPECT_THAT(
      plan_.build[2].script,
      AllOf(HasSubstr(cat("--uuid ", layout_.volumes.physical[0].uuid)), HasSubstr("--force /dev/disk/guestfs/disk4"),
            HasSubstr("--name lv_root -l 37 vg"), HasSubstr("--type thin-pool"), HasSubstr("-l 10 vg"),
            HasSubstr("--type thin --thinpool pool -V 209715200b")));
}

TEST_F(GuestPlanTest, AKeyOfAnyBytesReachesTheGuestWithoutQuotingTrouble) {
  EXPECT_THAT(plan_.build[1].script, HasSubstr("printf '\\153\\047\\000\\012' > /tmp/hearth.key"));
}

TEST_F(GuestPlanTest, WhereBytesAreToBeEqualAnEncryptedVolumeDrawsFromADriveInTheKernelsPlace) {
  EXPECT_TRUE(plan_.noise.empty());
  EXPECT_THAT(plan_.build[1].script, Not(HasSubstr("/dev/urandom")));
  const GuestPlan plan = plan_guest(layout_, placement_, key_of_, true);
  ASSERT_EQ(plan.noise.size(), 1U);
  EXPECT_EQ(plan.noise[0].label, "noisea");
  EXPECT_THAT(plan.build[1].script,
              AllOf(HasSubstr("mount --bind \"$(readlink -f /dev/disk/guestfs/noisea)\" /dev/urandom\n"),
                    HasSubstr("trap 'umount /dev/urandom' EXIT\ncryptsetup -q luksFormat")));
  EXPECT_EQ(plan.build[2].group, "vg");
  EXPECT_THAT(plan.build[2].members, testing::ElementsAre("/dev/disk/guestfs/disk4"));
}

TEST_F(GuestPlanTest, OnlyWhatUserSpaceCantMakeInPlaceIsFilledByTheGuest) {
  ASSERT_EQ(plan_.fills.size(), 4U);
  for (const GuestFill& fill : plan_.fills) {
    const DiskFileSystem& file_system = layout_.file_systems[fill.file_system];
    EXPECT_NE(file_system.mount_point, "/boot") << "it lies on a plain partition";
    EXPECT_TRUE(fill.made_outside) << file_system.name;
  }
}

TEST_F(GuestPlanTest, AnXfsThatUserSpaceCantMakeIsFormattedInTheGuest) {
  std::size_t xfs = 0;
  while (layout_.file_systems.at(xfs).type != "xfs") ++xfs;
  const GuestPlan plan = plan_guest(layout_, placement_, key_of_, false, {xfs});
  for (const GuestFill& fill : plan.fills) {
    EXPECT_EQ(fill.made_outside, fill.file_system != xfs);
    if (fill.file_system != xfs) continue;
    EXPECT_EQ(fill.device, "/dev/vg/lv_root");
    EXPECT_THAT(fill.format, HasSubstr(cat("-L root -m uuid=", layout_.file_systems[xfs].uuid)));
  }
}

TEST_F(GuestPlanTest, AVolumeComesAfterWhatItLiesOn) {
  const std::string text =
      "- lvm: {name: l, pvs: [{name: pv, base: c}], vgs: [{name: vg, base: pv}], lvs: [{name: lv, base: vg, extents: "
      "100%VG}]}\n- luks: {name: d, base: lv, key_file: k, mkfs: {type: ext4, mount: {mount_point: /}}}\n"
      "- luks: {name: c, base: md0, key_file: k}\n- raid: {name: md0, base: [a, b], metadata: '1.0'}\n";
  const DiskLayout layout = assign_ids(
      parse_block_config(with_partitions("      - {name: a, size: 200MiB}\n      - {name: b, size: 200MiB}\n", text),
                         "t", {})
          .value_or_throw(),
      "seed");
  std::vector<std::string> titles;
  for (const GuestStep& step : plan_guest(layout, place(layout, 512 * k_mebibyte), key_of_).build)
    titles.push_back(step.title);
  EXPECT_EQ(titles,
            (std::vector<std::string>{"array md0", "encrypted volume c", "volume group vg", "encrypted volume d"}));
}

}  // namespace
}  // namespace hearth::builder
