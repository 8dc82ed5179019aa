#include "builder/disk/layout/layout_view.hpp"

#include <gmock/gmock.h>

#include "base/json.hpp"
#include "tests/unit/builder/disk/layout/volume_layouts.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t k_layout_view_mib = 1024 * 1024;

TEST(LayoutViewTest, TheTreeGoesFromTheDiskDownToTheMountPoints) {
  const DiskLayout layout = layout_with_all_volumes();
  const std::string text = layout_text(layout_tree(layout, place(layout, 1024 * k_layout_view_mib)), false);
  EXPECT_THAT(text, HasSubstr("disk image0  1.0 GiB  table=gpt"));
  EXPECT_THAT(text, HasSubstr("|- partition boot  64.0 MiB at 1.0 MiB  number=1"));
  EXPECT_THAT(text, HasSubstr("|  `- ext4 mkfs_boot  label=boot"));
  EXPECT_THAT(text, HasSubstr("raid md0  99.0 MiB  level=1"));
  EXPECT_THAT(text, HasSubstr("luks safe"));
  EXPECT_THAT(text, HasSubstr("key=/etc/key"));
  EXPECT_THAT(text, HasSubstr("`- lvm-group vg"));
  EXPECT_THAT(text, HasSubstr("lvm-volume lv_root  148.0 MiB"));
  EXPECT_THAT(text, HasSubstr("xfs fs_root"));
  EXPECT_THAT(text, HasSubstr("type=Linux file system"));
  EXPECT_THAT(text, testing::Not(HasSubstr("0FC63DAF"))) << "JSON has it";
}

TEST(LayoutViewTest, ATerminalsRowsAreNoWiderThanIt) {
  const DiskLayout layout = layout_with_all_volumes();
  const LayoutNode disk = layout_tree(layout, place(layout, 1024 * k_layout_view_mib));
  std::size_t widest = 0;
  for (const std::string& line : split_lines(layout_text(disk, false))) widest = std::max(widest, line.size());
  ASSERT_GT(widest, 80U);
  const std::string text = layout_text(disk, false, 80);
  for (const std::string& line : split_lines(text)) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(text, HasSubstr("|- partition boot  64.0 MiB at 1.0 MiB  number=1"));
}

TEST(LayoutViewTest, WithoutASizeTheSizesAreAsWritten) {
  const std::string text = layout_text(layout_tree(layout_with_all_volumes(), std::nullopt), true);
  EXPECT_THAT(text, HasSubstr("├─ partition boot  size=64.0 MiB"));
  EXPECT_THAT(text, HasSubstr("size=100% of what is free"));
}

TEST(LayoutViewTest, JsonAndPictureHoldTheSame) {
  const DiskLayout layout = layout_with_all_volumes();
  const LayoutNode disk = layout_tree(layout, place(layout, 1024 * k_layout_view_mib));
  const nlohmann::ordered_json json = layout_json(disk);
  EXPECT_EQ(json["bytes"], 1024 * k_layout_view_mib);
  EXPECT_EQ(json["holds"][0]["holds"][0]["mount"], "/boot");
  EXPECT_EQ(json["holds"].size(), 6U) << "five partitions and the volume group";
  const std::string svg = layout_svg(disk);
  EXPECT_THAT(svg, testing::StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr("lvm-volume lv_root"));
  LayoutNode odd{.kind = "disk", .name = "<a&b>"};
  EXPECT_THAT(layout_svg(odd), HasSubstr("&lt;a&amp;b&gt;"));
}

}  // namespace
}  // namespace hearth::builder
