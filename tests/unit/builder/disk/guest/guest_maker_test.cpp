#include "builder/disk/guest/guest_maker.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "base/byte_order.hpp"
#include "tests/fakes/scripted_guest.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"
#include "tests/unit/builder/disk/layout/lvm_head.hpp"
#include "tests/unit/builder/disk/layout/volume_layouts.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

class GuestMakerTest : public DiskFixture {
 protected:
  DiskLayout layout_ = layout_with_all_volumes();
  Placement placement_ = place(layout_, 1024 * k_mib);
  fs::path tree_ = work_.path() / "tree";
  fs::path raw_ = work_.path() / "raw";

  /// Its options make the XFS one that the guest has to make.
  void prepare() {
    for (DiskFileSystem& each : layout_.file_systems) {
      if (each.type == "xfs") each.options = {"-i", "size=1024"};
    }
    make_tree(tree_);
    files_.write(tree_ / "etc/key", "the key", {.mode = 0600});
    prepare_tree(tree_, layout_, k_epoch);
  }
  /// What mdadm leaves on the array's two members: superblocks of version 1.2, for two devices. And a volume group.
  void write_members() const {
    std::string block(260, '\0');
    put_le(block, 0, 0xa92b4efc, 4);
    put_le(block, 4, 1, 4);
    put_le(block, 220, 2, 4);
    put_le(block, 216, 0xa92b4efc + 1 + 2, 4);
    std::fstream disk(raw_);
    for (const std::size_t partition : {1U, 2U}) {
      disk.seekp(static_cast<std::streamoff>(placement_.partitions[partition].offset + 4096));
      disk << block;
    }
    disk.seekp(static_cast<std::streamoff>(placement_.partitions[3].offset));
    disk << head_with("vg {\n}\n", 512);
  }
  /// Makes the disk with a guest that only records, in namespaces; `look` sees the record there.
  int make(const std::function<bool(const fakes::GuestRecord&)>& look, const std::string& fails_at = "") {
    return privately([&] {
      fakes::GuestRecord record;
      record.fails_at = fails_at;
      record.device = head_with("vg {\n}\n", 512);
      record.on_close = [this] { write_members(); };
      const GuestOptions options{.scratch = work_.path(), .epoch = k_epoch, .start = fakes::scripted_guests(record)};
      try {
        make_guest_disk(tree_, layout_, placement_, raw_, options, runner_);
      } catch (const Error& error) {
        record.did.push_back(error.story());
      }
      return look(record) ? 0 : 1;
    });
  }
};

TEST_F(GuestMakerTest, UserSpaceDoesItsPartAndTheGuestTheRest) {
  prepare();
  const int code = make([&](const fakes::GuestRecord& record) {
    std::string all;
    for (const std::string& each : record.did) all += cat(each, "\n");
    EXPECT_EQ(record.drives.size(), 4U) << "the disk, and three ext4 to be copied on volumes";
    EXPECT_TRUE(record.drives[1].read_only);
    EXPECT_THAT(all, HasSubstr("run date -u -s @1600000000"));
    EXPECT_THAT(all, HasSubstr("mount /dev/vg/lv_root /\nunpack /\nunmount\n"));
    EXPECT_THAT(all, HasSubstr(" of=/dev/mapper/safe "));
    EXPECT_THAT(all, HasSubstr(" of=/dev/md/md0 "));
    EXPECT_EQ(record.did.back(), "close");
    EXPECT_GT(record.unpacked_bytes, 70000U);
    return !HasFailure();
  });
  if (code == 77) GTEST_SKIP() << "no user namespaces here";
  ASSERT_EQ(code, 0);
  const fs::path boot = cut(raw_, placement_.of(*layout_.mounted_at("/boot")), "boot");
  EXPECT_THAT(tool({"debugfs", "-R", "ls -p /", boot.string()}), HasSubstr("/kernel/")) << "made in its place";
  EXPECT_THAT(tool({"e2fsck", "-fn", boot.string()}), HasSubstr("exit code 0"));
  const std::string member = read_file(cut(raw_, placement_.partitions[1], "member"));
  EXPECT_EQ(get_le(member, 4096 + 192, 8), static_cast<std::uint64_t>(k_epoch)) << "its time is the epoch";
}

TEST_F(GuestMakerTest, AFailureSaysWhatWasBeingMade) {
  prepare();
  const int code = make(
      [](const fakes::GuestRecord& record) {
        EXPECT_THAT(record.did.back(), HasSubstr("making the volume group vg"));
        return !HasFailure();
      },
      "vgcreate");
  if (code == 77) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(code, 0);
}

TEST_F(GuestMakerTest, AKeyIsTakenAsItIsOrAsItWillBeTyped) {
  files_.make_directories(work_.path() / "etc", 0755);
  files_.write(work_.path() / "etc/key", "secret\n", {});
  EXPECT_EQ(key_of_volume({.name = "v", .image_key_file = "/etc/key"}, work_.path()), "secret\n");
  EXPECT_EQ(key_of_volume({.name = "v", .key_file = (work_.path() / "etc/key").string()}, "/nowhere"), "secret");
  files_.write(work_.path() / "etc/key", "\n", {});
  EXPECT_THROW((void)key_of_volume({.name = "v", .key_file = (work_.path() / "etc/key").string()}, "/"), Error);
  try {
    (void)key_of_volume({.name = "v", .image_key_file = "/missing"}, work_.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the key of the encrypted volume v is missing: /missing in the image"));
  }
}

}  // namespace
}  // namespace hearth::builder
