#include "builder/inspect/image_reader.hpp"

#include <gmock/gmock.h>

#include "builder/packing/tree_archive.hpp"
#include "tests/fakes/scripted_guest.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::Contains;
using testing::HasSubstr;

using GuestReaderTest = DiskFixture;

TEST_F(GuestReaderTest, VolumesAreOpenedListedAndRead) {
  fakes::GuestRecord record;
  files_.make_directories(work_.path() / "tree/etc", 0755);
  files_.write(work_.path() / "tree/etc/hostname", "web\n", {});
  files_.write(work_.path() / "key", "k\n", {});
  write_tree_archive(work_.path() / "tree", work_.path() / "tar", Compression::none, k_epoch);
  record.packed["/"] = read_file(work_.path() / "tar");
  record.answers["lvs --noheadings"] = "/dev/vg/root\txfs\troot\tuuid-1\n/dev/vg/swap\tswap\t\tuuid-2\n";
  ImageContents contents;
  contents.table.sector_size = 4096;
  contents.parts.push_back({.device = "2", .extent = {}, .signature = {"btrfs", "b", "u"}});
  contents.parts.push_back({.device = "3", .extent = {}, .signature = {"LVM2_member", "", ""}});
  read_by_guest(
      "raw", {.scratch = work_.path(), .keys = {work_.path() / "key"}, .start_guest = fakes::scripted_guests(record)},
      contents);
  ASSERT_EQ(contents.parts.size(), 4U);
  EXPECT_TRUE(contents.parts[0].tree);
  EXPECT_FALSE(contents.parts[1].tree);
  EXPECT_EQ(contents.parts[2].tree->text("etc/hostname"), "web\n");
  EXPECT_EQ(contents.parts[2].signature, (Signature{"xfs", "root", "uuid-1"}));
  EXPECT_FALSE(contents.parts[3].tree) << "swap holds no files";
  EXPECT_TRUE(record.drives[0].read_only);
  EXPECT_EQ(record.drives[0].sector_size, 4096U);
  EXPECT_THAT(record.did, Contains("mount /dev/disk/guestfs/image2 /"));
  EXPECT_THAT(record.did[0], HasSubstr("printf '\\153' > /tmp/key0typed"));
}

}  // namespace
}  // namespace hearth::builder
