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

}  // namespace
}  // namespace hearth::builder
