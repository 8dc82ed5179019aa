#include "builder/disk/copy/sorted_copy.hpp"

#include <dirent.h>
#include <gmock/gmock.h>

#include <memory>

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

class SortedCopyTest : public DiskFixture {
 protected:
  /// What mkfs.btrfs takes over: numbers and names as the directories tell them, in that order.
  static std::string order_of(const fs::path& directory) {
    std::string text;
    std::vector<std::string> below;
    const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
    while (const dirent* const each = ::readdir(open.get())) {
      const std::string name = each->d_name;
      if (name == "..") continue;
      text += cat(each->d_ino, " ", name, "\n");
      if (name != "." && each->d_type == DT_DIR) below.push_back(name);
    }
    for (const std::string& name : below) text += cat(name, ":\n", order_of(directory / name));
    return text;
  }
  void make_small_tree(const fs::path& tree, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      files_.make_directories(tree / name, 0755);
      for (const std::string& file : names) files_.write(tree / name / file, file, {});
    }
  }
};

TEST_F(SortedCopyTest, TreesOfOneContentGetTheSameNumbersAndOrderHoweverTheyWereMade) {
  make_small_tree(work_.path() / "one", {"a", "b", "c", "d"});
  make_small_tree(work_.path() / "two", {"c", "a", "d", "b"});
  const int code = privately([&] {
    const SortedCopy one = SortedCopy::of(work_.path() / "one", work_.path());
    const SortedCopy two = SortedCopy::of(work_.path() / "two", work_.path());
    EXPECT_NE(one.path(), work_.path() / "one");
    EXPECT_EQ(order_of(one.path()), order_of(two.path()));
    return HasFailure() ? 1 : 0;
  });
  if (code == 77) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(code, 0);
  EXPECT_FALSE(fs::is_empty(work_.path() / "one/a"));
  for (const std::string& name : files_.list(work_.path())) EXPECT_FALSE(name.starts_with("sorted-")) << "it was left";
}

TEST_F(SortedCopyTest, WhatFilesAreIsKept) {
  const fs::path tree = work_.path() / "tree";
  make_tree(tree);
  set_times(tree / "etc/config", 1'500'000'000);
  set_times(tree / "var", 1'400'000'000);
  const int code = privately([&] {
    const SortedCopy copy = SortedCopy::of(tree, work_.path());
    struct stat tool {};
    struct stat twin {};
    struct stat sparse {};
    struct stat config {};
    EXPECT_EQ(::stat((copy.path() / "bin/tool").c_str(), &tool), 0);
    EXPECT_EQ(::stat((copy.path() / "bin/twin").c_str(), &twin), 0);
    EXPECT_EQ(::stat((copy.path() / "home/sparse").c_str(), &sparse), 0);
    EXPECT_EQ(::stat((copy.path() / "etc/config").c_str(), &config), 0);
    EXPECT_EQ(tool.st_ino, twin.st_ino);
    EXPECT_EQ(tool.st_mode & 07777U, 04755U);
    EXPECT_EQ(config.st_mode & 07777U, 0640U);
    EXPECT_EQ(config.st_uid, is_root() ? 33U : ::geteuid());
    EXPECT_EQ(config.st_mtim.tv_sec, 1'500'000'000);
    EXPECT_EQ(static_cast<std::uint64_t>(sparse.st_size), 3 * k_mib);
    EXPECT_LT(sparse.st_blocks * 512, 1 << 20) << "its hole was filled";
    EXPECT_EQ(fs::last_write_time(copy.path() / "var"), 1'400'000'000);
    EXPECT_EQ(fs::read_symlink(copy.path() / "etc/link"), "../bin/tool");
    return HasFailure() ? 1 : 0;
  });
  if (code == 77) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace hearth::builder
