#include "builder/inspect/image_reader.hpp"

#include <gmock/gmock.h>

#include "builder/disk/block_config.hpp"
#include "builder/disk/direct_maker.hpp"
#include "builder/inspect/tree_diff.hpp"
#include "builder/packing/tree_archive.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

constexpr const char* k_config =
    "- local_loop: {name: image0}\n"
    "- partitioning:\n    base: image0\n    label: gpt\n    partitions:\n"
    "      - {name: esp, type: EF00, size: 40MiB, mkfs: {type: vfat, label: ESP, mount: {mount_point: /boot/efi, "
    "fstab: {}}}}\n"
    "      - {name: var, size: 16MiB, mkfs: {type: ext4, label: var, mount: {mount_point: /var, fstab: {}}}}\n"
    "      - {name: root, size: 100%, mkfs: {type: ext4, label: root, mount: {mount_point: /, fstab: {}}}}\n";

class ImageReaderTest : public DiskFixture {
 protected:
  fs::path tree_ = work_.path() / "tree";
  fs::path raw_ = work_.path() / "disk.img";

  bool make() {
    const DiskLayout layout = assign_ids(parse_block_config(k_config, "test", {}).value_or_throw(), "seed");
    make_tree(tree_);
    prepare_tree(tree_, layout, k_epoch);
    write_tree_archive(tree_, work_.path() / "tree.tar", Compression::none, k_epoch);
    return privately([&] {
             make_disk(tree_, layout, place(layout, 128 * k_mib), raw_, {.scratch = work_.path(), .epoch = k_epoch},
                       runner_);
             return 0;
           }) == 0;
  }
};

TEST_F(ImageReaderTest, ADiskHasTheFilesOfItsTreeAcrossItsFileSystems) {
  if (!make()) GTEST_SKIP() << "no namespaces";
  const ImageContents disk = read_image(raw_, {.scratch = work_.path()}, runner_);
  EXPECT_EQ(disk.used, "user space");
  ASSERT_EQ(disk.parts.size(), 3U);
  EXPECT_EQ(disk.parts[0].signature.label, "ESP");
  const ImageContents archive = read_image(work_.path() / "tree.tar", {.scratch = work_.path()}, runner_);
  EXPECT_EQ(archive.format, "archive");
  const TreeDiff diff = diff_trees(system_tree(archive), system_tree(disk), {.without = {"boot/efi"}});
  EXPECT_EQ(diff_text(diff, true), "");
  const std::string text = layout_text(contents_tree(disk, "disk.img"), false);
  EXPECT_THAT(text, HasSubstr("partition root"));
  EXPECT_THAT(text, HasSubstr("`- ext4  label=root"));
}

TEST_F(ImageReaderTest, ATextIsNoImage) {
  files_.write(raw_, "root:x:0:0:root:/root:/bin/bash\n", {});
  EXPECT_THROW((void)read_image(raw_, {.scratch = work_.path()}, runner_), Error);
  files_.write(raw_, std::string(2 * k_mib, '\0'), {});
  EXPECT_EQ(read_image(raw_, {.scratch = work_.path()}, runner_).parts.size(), 1U) << "an empty disk";
}

TEST_F(ImageReaderTest, WhatNeedsAGuestIsLeftUnreadWithoutOne) {
  std::string disk(2 * k_mib, '\0');
  disk.replace(0, 4, "XFSB");
  files_.write(raw_, disk, {});
  const ImageContents contents = read_image(raw_, {.scratch = work_.path()}, runner_);
  ASSERT_EQ(contents.parts.size(), 1U);
  EXPECT_EQ(contents.parts[0].signature.type, "xfs");
  EXPECT_FALSE(contents.parts[0].tree);
  EXPECT_TRUE(system_tree(contents).entries.empty());
}

}  // namespace
}  // namespace hearth::builder
