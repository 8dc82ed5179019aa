#include "builder/hooks/copied_hooks.hpp"

#include <gmock/gmock.h>

#include "base/sys/process.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;

class CopiedHooksTest : public testing::Test {
 protected:
  CopiedHooksTest() { tree.add("os", "", "operating-system"); }
  std::string merged(const Names& requested, const std::string& path) {
    fs::create_directories(dir.path() / "hooks");
    copy_hooks(HookTree::merge(files, tree.close(requested)), runner, dir.path() / "hooks");
    return read_file(dir.path() / "hooks" / path);
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  SystemClock clock;
  RealRunner runner{clock};
};

TEST_F(CopiedHooksTest, KeepsModesAndLinks) {
  tree.hook("os", "install.d/10-x", "hello").file("os", "install.d/data", "");
  fs::create_symlink("10-x", tree.path("os/install.d/20-link"));
  EXPECT_EQ(merged({"os"}, "install.d/10-x"), "hello");
  EXPECT_EQ(files.status(dir.path() / "hooks/install.d/10-x")->mode, 0755U);
  EXPECT_EQ(files.status(dir.path() / "hooks/install.d/data")->mode, 0644U);
  EXPECT_EQ(fs::read_symlink(dir.path() / "hooks/install.d/20-link"), "10-x");
}

TEST_F(CopiedHooksTest, InMergedDirectoriesTheElementThatNeedsAnotherWins) {
  tree.add("a", "z").add("z", "m").add("m");
  for (const char* name : {"a", "m", "z"}) {
    tree.file(name, "static/etc/motd", name).file(name, cat("static/etc/", name), "");
  }
  EXPECT_EQ(merged({"a", "os"}, "static/etc/motd"), "a");
  EXPECT_THAT(files.list(dir.path() / "hooks/static/etc"), ElementsAre("a", "m", "motd", "z"));
}

TEST_F(CopiedHooksTest, FilesAtTheTopOverwriteInTheOrderOfTheElements) {
  tree.add("a", "z").add("z").file("a", "source-repository-x", "a").file("z", "source-repository-x", "z");
  tree.file("a", "cache.pyc", "");
  EXPECT_EQ(merged({"a", "os"}, "source-repository-x"), "a");
  EXPECT_FALSE(fs::exists(dir.path() / "hooks/cache.pyc"));
}

}  // namespace
}  // namespace hearth::builder
