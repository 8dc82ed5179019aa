#include "builder/plan/hook_tree.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using fakes::MemoryFileSystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HookTreeTest : public testing::Test {
 protected:
  HookTreeTest() { tree.add("os", "", "operating-system"); }
  HookTree merge(const Names& requested) { return HookTree::merge(files, tree.close(requested)); }
  MemoryFileSystem files;
  ElementTree tree{files};
};

TEST_F(HookTreeTest, MergesTheDirectoriesOfAllElements) {
  tree.hook("os", "root.d/10-os").hook("a", "root.d/20-a").hook("a", "install.d/10-a");
  const HookTree hooks = merge({"os", "a"});
  EXPECT_THAT(hooks.scripts("root.d"), ElementsAre("10-os", "20-a"));
  EXPECT_EQ(hooks.directory("root.d").at("20-a").element, "a");
  EXPECT_EQ(hooks.directory("install.d").at("10-a").path, "/elements/a/install.d/10-a");
  EXPECT_THAT(hooks.directory("cleanup.d"), IsEmpty());
}

TEST_F(HookTreeTest, RunsWhatDibRunPartsWouldInItsOrder) {
  for (const char* name : {"abc", "10-ten", "9-nine", "10-aaa", "05-five", "b.dot"}) {
    tree.hook("os", cat("install.d/", name));
  }
  tree.file("os", "install.d/20-noexec", "").hook("os", "install.d/sub/30-deep");
  const HookTree hooks = merge({"os"});
  EXPECT_THAT(hooks.scripts("install.d"), ElementsAre("abc", "05-five", "9-nine", "10-aaa", "10-ten"));
  EXPECT_THAT(hooks.ignored("install.d"), ElementsAre("20-noexec", "b.dot"));
}

TEST_F(HookTreeTest, OneNameFromTwoElementsIsRefusedNamingBothFiles) {
  tree.hook("a", "install.d/10-x").hook("b", "install.d/10-x");
  EXPECT_THAT(story_of([&] {
                return merge({"os", "a", "b"});
              }),
              AllOf(HasSubstr("There is a duplicated hook in your elements"), HasSubstr("/elements/a/install.d/10-x"),
                    HasSubstr("/elements/b/install.d/10-x")));
}

TEST_F(HookTreeTest, OneNameInTwoPhasesIsNoDuplicate) {
  tree.hook("a", "install.d/10-x").hook("b", "cleanup.d/10-x");
  EXPECT_EQ(story_of([&] { return merge({"os", "a", "b"}); }), "");
}

TEST_F(HookTreeTest, TestsCachesAndHiddenNamesStayOut) {
  tree.hook("os", "tests/10-x").hook("os", "__pycache__/x").hook("os", ".git/x").hook("os", "install.d/.hidden");
  const HookTree hooks = merge({"os"});
  EXPECT_EQ(hooks.directories().size(), 1U);
  EXPECT_THAT(hooks.directory("install.d"), IsEmpty());
}

class MaterialiseTest : public testing::Test {
 protected:
  MaterialiseTest() { tree.add("os", "", "operating-system"); }
  std::string merged(const Names& requested, const std::string& path) {
    fs::create_directories(dir.path() / "hooks");
    HookTree::merge(files, tree.close(requested)).materialise(runner, dir.path() / "hooks");
    return read_file(dir.path() / "hooks" / path);
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  SystemClock clock;
  RealRunner runner{clock};
};

TEST_F(MaterialiseTest, KeepsModesAndLinks) {
  tree.hook("os", "install.d/10-x", "hello").file("os", "install.d/data", "");
  fs::create_symlink("10-x", tree.path("os/install.d/20-link"));
  EXPECT_EQ(merged({"os"}, "install.d/10-x"), "hello");
  EXPECT_EQ(files.status(dir.path() / "hooks/install.d/10-x")->mode, 0755U);
  EXPECT_EQ(files.status(dir.path() / "hooks/install.d/data")->mode, 0644U);
  EXPECT_EQ(fs::read_symlink(dir.path() / "hooks/install.d/20-link"), "10-x");
}

TEST_F(MaterialiseTest, InMergedDirectoriesTheElementThatNeedsAnotherWins) {
  tree.add("a", "z").add("z", "m").add("m");
  for (const char* name : {"a", "m", "z"}) {
    tree.file(name, "static/etc/motd", name).file(name, cat("static/etc/", name), "");
  }
  EXPECT_EQ(merged({"a", "os"}, "static/etc/motd"), "a");
  EXPECT_THAT(files.list(dir.path() / "hooks/static/etc"), ElementsAre("a", "m", "motd", "z"));
}

TEST_F(MaterialiseTest, FilesAtTheTopOverwriteInTheOrderOfTheElements) {
  tree.add("a", "z").add("z").file("a", "source-repository-x", "a").file("z", "source-repository-x", "z");
  tree.file("a", "cache.pyc", "");
  EXPECT_EQ(merged({"a", "os"}, "source-repository-x"), "a");
  EXPECT_FALSE(fs::exists(dir.path() / "hooks/cache.pyc"));
}

}  // namespace
}  // namespace hearth::builder
