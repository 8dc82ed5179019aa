#include "builder/inspect/file_tree.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

TEST(FileTreeTest, NamesAreNormalisedAndThoseThatEscapeRefused) {
  EXPECT_EQ(normal_path("./usr//bin/"), "usr/bin");
  EXPECT_EQ(normal_path("/"), "");
  EXPECT_EQ(normal_path("a/../../b"), std::nullopt);
  EXPECT_EQ(normal_path(".."), std::nullopt);
  EXPECT_EQ(normal_path("a/..b"), "a/..b");
}

TEST(FileTreeTest, ALinkToAKeptTextIsFollowed) {
  FileTree tree;
  tree.texts["usr/lib/os-release"] = "NAME=x\n";
  tree.entries["etc/os-release"] = TreeEntry{.kind = 'l', .content = "../usr/lib/os-release"};
  EXPECT_EQ(tree.text("etc/os-release"), "NAME=x\n");
  tree.entries["etc/os-release"].content = "/usr/lib/os-release";
  EXPECT_EQ(tree.text("etc/os-release"), "NAME=x\n");
  EXPECT_EQ(tree.text("etc/fstab"), std::nullopt);
}

TEST(FileTreeTest, AGraftedTreeHidesWhatWasThere) {
  FileTree tree;
  for (const char* path : {"", "boot", "boot/old", "bootx", "etc"}) tree.entries[path] = TreeEntry{.kind = 'd'};
  FileTree inner;
  inner.entries[""] = TreeEntry{.kind = 'd', .mode = 0700};
  inner.entries["kernel"] = TreeEntry{.kind = 'f'};
  inner.texts["grub/grub.cfg"] = "x";
  graft(tree, "boot", inner);
  EXPECT_FALSE(tree.entries.contains("boot/old"));
  EXPECT_TRUE(tree.entries.contains("bootx"));
  EXPECT_EQ(tree.entries["boot"].mode, 0700U);
  EXPECT_TRUE(tree.entries.contains("boot/kernel"));
  EXPECT_EQ(tree.text("boot/grub/grub.cfg"), "x");
}

TEST(KeepTextTest, WhatTellsTheSystemIsKeptOnAFileSystemOfItsOwnToo) {
  for (const char* kept : {"var/lib/dpkg/status", "lib/dpkg/status", "lib/dpkg/info/jq.list", "lib/os-release",
                           "grub/grub.cfg", "etc/fstab"})
    EXPECT_TRUE(keep_text(kept)) << kept;
  for (const char* other : {"lib/dpkg/info/jq.md5sums", "dpkg/status", "srv/etc/fstab"})
    EXPECT_FALSE(keep_text(other)) << other;
}

}  // namespace
}  // namespace hearth::builder
