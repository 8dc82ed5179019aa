#include "builder/disk/xfs/xfs_image.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using XfsImageTest = DiskFixture;

TEST_F(XfsImageTest, WhatIsNoXfsIsRefused) {
  files_.write(work_.path() / "zeros", std::string(k_mib, '\0'), {});
  files_.write(work_.path() / "short", "XFSB", {});
  EXPECT_THROW((void)XfsImage::open(work_.path() / "zeros"), Error);
  EXPECT_THROW((void)XfsImage::open(work_.path() / "short"), Error);
}

TEST_F(XfsImageTest, DirectoriesAreReadAndChangedInPlace) {
  if (!find_program("mkfs.xfs", maker_environment(0))) GTEST_SKIP() << "mkfs.xfs is not installed";
  const fs::path file = work_.path() / "image";
  files_.write(file, "", {});
  fs::resize_file(file, 320 * k_mib);
  std::string prototype = "x\n0 0\nd--755 0 0\nsmall d--755 0 0\none p--644 0 0\n$\n";
  for (int i = 0; i < 90; ++i) prototype += cat("name-", i, " p--644 0 0\n");
  files_.write(work_.path() / "proto", prototype + "$\n", {});
  run_checked(runner_, {.argv = {"mkfs.xfs", "-q", "-p", (work_.path() / "proto").string(), file.string()},
                        .env = maker_environment(0)});

  const XfsImage image = XfsImage::open(file);
  std::string root = image.read_inode(image.root());
  XfsDirectory top = image.read_directory(root);
  EXPECT_GE(top.entries().size(), 91U);
  std::string small = image.read_inode(top.entry("small").inode);
  XfsDirectory inner = image.read_directory(small);
  ASSERT_EQ(inner.entries().size(), 1U);
  inner.rename(inner.entry("one"), "two");
  image.write_directory(inner, small);
  EXPECT_EQ(image.read_directory(small).entries().count("two"), 1U);
  EXPECT_THROW((void)top.entry("missing"), Error);

  const XfsDirectory::Entry& spare = top.entry("name-7");
  top.point_to(spare, top.entry("name-8").inode, top.kind_of(spare, 6), 6);
  image.write_directory(top, root);
  EXPECT_EQ(image.read_directory(root).entry("name-7").inode, top.entry("name-8").inode);
  image.give_back({spare.inode});
  EXPECT_EQ(image.read_inode(spare.inode).substr(2, 2), std::string(2, '\0'));
}

}  // namespace
}  // namespace hearth::builder
