#include "builder/disk/maker_choice.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "tests/unit/builder/disk/layout/volume_layouts.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

std::string story(const DiskLayout& layout, const std::optional<DiskMaker>& wanted) {
  try {
    (void)choose_maker(layout, wanted);
    return "no error";
  } catch (const Error& error) {
    return error.story();
  }
}

TEST(MakerChoiceTest, UserSpaceIsPreferredAndTheReasonToldWhereItCant) {
  const DiskLayout plain = parse_block_config(builtin_block_config(), "t", {}).value_or_throw();
  EXPECT_EQ(choose_maker(plain, std::nullopt).maker, DiskMaker::direct);
  EXPECT_EQ(choose_maker(plain, DiskMaker::guestfs).maker, DiskMaker::guestfs);
  EXPECT_EQ(choose_maker(plain, std::nullopt, {"50-bootloader"}).maker, DiskMaker::guestfs);
  const MakerChoice choice = choose_maker(layout_with_all_volumes(), std::nullopt);
  EXPECT_EQ(choice.maker, DiskMaker::guestfs);
  EXPECT_THAT(choice.reason, HasSubstr("logical volumes ([4].lvm)"));
}

TEST(MakerChoiceTest, AMakerThatCantSaysWhichOneCould) {
  EXPECT_THAT(story(layout_with_all_volumes(), DiskMaker::direct), HasSubstr("The guestfs maker makes it"));
  DiskLayout rootless = layout_with_all_volumes();
  std::erase_if(rootless.file_systems, [](const DiskFileSystem& each) { return each.mount_point == "/"; });
  EXPECT_THAT(story(rootless, std::nullopt), HasSubstr("no file system is mounted at /"));
  DiskLayout strange = layout_with_all_volumes();
  strange.beyond_all = {"file system type f2fs (x)"};
  EXPECT_THAT(story(strange, std::nullopt), HasSubstr("no disk maker can make this layout: file system type f2fs"));
}

TEST(MakerChoiceTest, NamesAreReadAndWrongOnesRefused) {
  EXPECT_EQ(parse_disk_maker("direct"), DiskMaker::direct);
  EXPECT_EQ(parse_disk_maker("auto"), std::nullopt);
  EXPECT_EQ(name_of(DiskMaker::guestfs), "guestfs");
  EXPECT_THROW((void)parse_disk_maker("loop"), Error);
}

}  // namespace
}  // namespace hearth::builder
