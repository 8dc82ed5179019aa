#include "builder/disk/tree_view.hpp"

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

class TreeViewTest : public DiskFixture {};

TEST_F(TreeViewTest, WithNothingHiddenItIsTheTreeItself) {
  EXPECT_EQ(TreeView::create("/some/tree", {}, "/nowhere").path(), "/some/tree");
}

TEST_F(TreeViewTest, HiddenDirectoriesAreEmptyButKeepTheirLooks) {
  const fs::path tree = work_.path() / "tree";
  make_tree(tree);
  ::chmod((tree / "var").c_str(), 01770);
  set_times(tree / "var", 1'234'567'890);
  const int code = privately([&] {
    const TreeView view = TreeView::create(tree, {"var", "var/log", "boot/efi"}, work_.path());
    struct stat status {};
    if (::stat((view.path() / "var").c_str(), &status) != 0) return 2;
    if ((status.st_mode & 07777U) != 01770) return 3;
    if (status.st_mtim.tv_sec != 1'234'567'890) return 4;
    if (!fs::is_empty(view.path() / "var") || !fs::is_empty(view.path() / "boot/efi")) return 5;
    if (!fs::exists(view.path() / "boot/kernel")) return 6;
    return fs::exists(tree / "var/log/messages") ? 0 : 7;  // the tree itself is as before
  });
  if (code == 77) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(fs::exists(tree / "var/log/messages"));
}

TEST_F(TreeViewTest, NothingIsLeftInTheScratchDirectory) {
  const fs::path tree = work_.path() / "tree";
  const fs::path scratch = work_.path() / "scratch";
  make_tree(tree);
  files_.make_directories(scratch, 0755);
  const int code = privately([&] {
    { const TreeView view = TreeView::create(tree, {"var"}, scratch); }
    return fs::is_empty(scratch) ? 0 : 1;
  });
  if (code == 77) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace hearth::builder
