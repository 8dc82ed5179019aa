#include "builder/inspect/tree_diff.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string status(const std::string& name, const std::string& version) {
  return cat("Package: ", name, "\nStatus: install ok installed\nVersion: ", version, "\nArchitecture: all\n\n");
}

FileTree sample() {
  FileTree tree;
  tree.entries[""] = TreeEntry{.kind = 'd', .mode = 0755};
  tree.entries["etc"] = TreeEntry{.kind = 'd', .mode = 0755};
  tree.entries["etc/a"] = TreeEntry{.kind = 'f', .mode = 0644, .size = 3, .time = 5, .content = "aa"};
  tree.entries["etc/l"] = TreeEntry{.kind = 'l', .mode = 0777, .content = "a"};
  tree.texts["var/lib/dpkg/status"] = cat(status("x", "1"), status("y", "1"));
  return tree;
}

TEST(TreeDiffTest, EqualTreesDoNotDiffer) {
  EXPECT_TRUE(diff_trees(sample(), sample(), {}).empty());
  FileTree later = sample();
  later.entries["etc/a"].time = 6;
  EXPECT_TRUE(diff_trees(sample(), later, {}).empty()) << "times count only when asked for";
  EXPECT_FALSE(diff_trees(sample(), later, {.times = true}).empty());
}

TEST(TreeDiffTest, EveryKindOfDifferenceIsNamed) {
  FileTree after = sample();
  after.entries["etc/a"] = TreeEntry{.kind = 'f', .mode = 0600, .uid = 1, .size = 4, .time = 5, .content = "bb"};
  after.entries["etc/a"].attributes["security.capability"] = "x";
  after.entries["etc/l"].content = "b";
  after.entries["new"] = TreeEntry{.kind = 'd'};
  after.entries["new/inner"] = TreeEntry{.kind = 'f'};
  after.texts["var/lib/dpkg/status"] = cat(status("x", "2"), status("z", "1"));
  const TreeDiff diff = diff_trees(sample(), after, {});
  ASSERT_EQ(diff.files.size(), 4U);
  EXPECT_THAT(diff.files[0].what, ElementsAre("mode 0644 → 0600", "owner 0:0 → 1:0", "content, 3 → 4 bytes",
                                              "attribute security.capability"));
  EXPECT_THAT(diff.packages,
              ElementsAre(PackageChange{"x", "1", "2"}, PackageChange{"y", "1", ""}, PackageChange{"z", "", "1"}));
  const std::string text = diff_text(diff, false);
  EXPECT_THAT(text, testing::StartsWith("packages: 1 new, 1 gone, 1 changed; files: 2 new, 2 changed\npackage ~ x"));
  EXPECT_EQ(diff_text({}, false), "");
  EXPECT_THAT(text, HasSubstr("package ~ x 1 → 2\npackage - y 1\npackage + z 1\n"));
  EXPECT_THAT(text, HasSubstr("file ~ /etc/l: \"a\" → \"b\"\nfile + /new\n        … and 1 below it\n"));
  EXPECT_THAT(diff_text(diff, true), HasSubstr("file + /new/inner"));
  EXPECT_EQ(diff_json(diff)["files"][3]["path"], "/new/inner");
  EXPECT_EQ(diff_json(diff)["packages"][1]["after"], nullptr);
  EXPECT_THAT(diff_text(diff_trees(sample(), after, {.without = {"/new", "etc"}}), true), Not(HasSubstr("file")));
}

TEST(TreeDiffTest, AFileThatBecomesALinkIsOneDifference) {
  FileTree after = sample();
  after.entries["etc/a"] = TreeEntry{.kind = 'l', .content = "l"};
  EXPECT_THAT(diff_trees(sample(), after, {}).files[0].what, ElementsAre("file → link"));
}

}  // namespace
}  // namespace hearth::builder
