#include "base/sys/tree_reader.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/error.hpp"

namespace hearth {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TreeReaderTest : public testing::Test {
 protected:
  TreeReaderTest() {
    files.make_directories(dir.path() / "tree/etc/inner", 0755);
    files.write(dir.path() / "secret", "of the host", {});
    files.write(dir.path() / "tree/etc/own", "of the tree", {.mode = 0640});
  }
  void link(const std::string& text, const std::string& name) const { fs::create_symlink(text, root() / name); }
  [[nodiscard]] fs::path root() const { return dir.path() / "tree"; }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
};

TEST_F(TreeReaderTest, ReadsByRelativeAndByAbsolutePath) {
  const TreeReader tree(root());
  EXPECT_EQ(tree.read("etc/own"), "of the tree");
  EXPECT_EQ(tree.read("/etc/own"), "of the tree");
  EXPECT_EQ(tree.status("etc/own")->mode, 0640U);
  EXPECT_EQ(tree.status("/")->type, FileStatus::Type::directory);
  EXPECT_THAT(tree.list("/etc"), ElementsAre("inner", "own"));
  EXPECT_THAT(tree.list(""), ElementsAre("etc"));
  EXPECT_EQ(tree.host_path("/etc/own"), root() / "etc/own");
}

TEST_F(TreeReaderTest, LinksLeadWhereTheyWouldLeadInside) {
  link("/etc/own", "absolute");
  link("../../../../etc/own", "dots");
  link((dir.path() / "secret").string(), "out");
  link("../secret", "up");
  link(dir.path().string(), "folder");
  const TreeReader tree(root());
  EXPECT_EQ(tree.read("absolute"), "of the tree");
  EXPECT_EQ(tree.read("dots"), "of the tree");
  EXPECT_EQ(tree.host_path("dots"), root() / "etc/own");
  for (const char* path : {"out", "up", "folder/secret", "../secret", "/../secret", "etc/../../secret"}) {
    EXPECT_EQ(tree.read(path), std::nullopt) << path;
    EXPECT_FALSE(tree.exists(path)) << path;
    EXPECT_EQ(tree.host_path(path), std::nullopt) << path;
  }
  EXPECT_THAT(tree.list("folder"), IsEmpty());
  EXPECT_EQ(tree.link_text("up"), "../secret");
  EXPECT_EQ(tree.link_text("etc/own"), std::nullopt);
}

TEST_F(TreeReaderTest, WhatIsNoFileGivesNothing) {
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0644), 0);
  link("loop", "loop");
  const TreeReader tree(root());
  for (const char* path : {"pipe", "loop", "etc", "nowhere", "etc/own/below"}) {
    EXPECT_EQ(tree.read(path), std::nullopt) << path;
  }
  EXPECT_THAT(tree.list("etc/own"), IsEmpty());
  EXPECT_THROW(TreeReader(dir.path() / "nowhere"), Error);
}

TEST_F(TreeReaderTest, BeneathFollowsNoLinkAtAll) {
  link("etc", "inside");
  link("/etc/own", "etc/last");
  const Fd directory = Fd::open(root().string(), O_PATH | O_DIRECTORY);
  EXPECT_EQ(read_all(open_beneath(directory, "etc/own", O_RDONLY), "own"), "of the tree");
  for (const char* path : {"inside/own", "etc/last", "../secret", "/etc/own", "etc/../../secret"}) {
    EXPECT_THROW((void)open_beneath(directory, path, O_RDONLY), Error) << path;
  }
  EXPECT_THROW((void)open_beneath(directory, "etc/own", O_WRONLY | O_CREAT | O_EXCL, 0600), Error);
}

}  // namespace
}  // namespace hearth
