#include "builder/inspect/image_reader.hpp"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "builder/disk/direct_maker.hpp"
#include "builder/disk/layout/block_config.hpp"
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

// Tables, file systems, their directories and inodes; each of the disk's formats. What is noticed is an Error; what is
// not (a bit in a file's data) is read as it is.
TEST_F(ImageReaderTest, DamagedDisksAreReadOrRefusedAndDoNoHarm) {
  if (!make()) GTEST_SKIP() << "no namespaces";
  const ImageContents whole = read_image(raw_, {.scratch = work_.path()}, runner_);
  const FileTree before = system_tree(whole);
  std::set<std::uint64_t> areas = {0};  // tables, then each file system's beginning
  for (const ImagePart& part : whole.parts) areas.insert(part.extent.offset);
  const fs::path packed = work_.path() / "disk.qcow2";
  run_checked(runner_, Command{.argv = {"qemu-img", "convert", "-O", "qcow2", raw_.string(), packed.string()}});
  std::mt19937 draw(1);  // NOLINT: the same each time
  const auto look = [&](const fs::path& image) {
    try {
      const TreeDiff diff = diff_trees(before, system_tree(read_image(image, {.scratch = work_.path()}, runner_)), {});
      static_cast<void>(diff_text(diff, true));
      return true;
    } catch (const Error& error) {
      EXPECT_THAT(error.story(), testing::Not(HasSubstr("Unknown code")));
      return false;
    }
  };
  std::size_t noticed = 0;
  const auto damage = [&](const fs::path& image, std::uint64_t begin, std::uint64_t bytes, int times) {
    const Fd file = Fd::open(image.string(), O_RDWR);
    for (int i = 0; i < times; ++i) {
      const off_t at = static_cast<off_t>(begin + draw() % bytes);
      const unsigned char flip = static_cast<unsigned char>(1U << draw() % 8U);
      unsigned char byte = 0;
      ASSERT_EQ(::pread(file.get(), &byte, 1, at), 1);
      const unsigned char wrong = static_cast<unsigned char>(byte ^ flip);
      ASSERT_EQ(::pwrite(file.get(), &wrong, 1, at), 1);
      if (!look(image)) ++noticed;
      ASSERT_EQ(::pwrite(file.get(), &byte, 1, at), 1);
    }
  };
  for (const std::uint64_t area : areas) {
    damage(raw_, area, 1024, 6);                // boot sectors, the table
    damage(raw_, area + 1024, 1024, 6);         // ext's superblock, the table's entries
    damage(raw_, area + 2048, 256 * 1024, 12);  // group descriptors, bitmaps, inodes, FATs
  }
  damage(packed, 0, 104, 8);  // qcow2's header
  damage(packed, 65536, 4 * 65536, 8);
  EXPECT_GT(noticed, 5U) << "what was damaged is not what is read";
  EXPECT_TRUE(look(raw_));
  EXPECT_TRUE(look(packed));
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
