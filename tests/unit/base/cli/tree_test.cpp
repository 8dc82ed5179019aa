#include "base/cli/tree.hpp"

#include <gtest/gtest.h>

#include "base/cli/layout.hpp"
#include "base/text.hpp"

namespace hearth::cli {
namespace {

TreeNode forest() {
  return {.label = "wood",
          .children = {{.label = "oak", .children = {{.label = "leaf"}, {.label = "root", .note = "deep"}}},
                       {.label = "fir", .note = "green in winter, as the other trees of this wood are not"}}};
}

TEST(Tree, LinesLeadFromARowToWhatIsPartOfIt) {
  EXPECT_EQ(tree_text(forest(), true),
            "wood\n"
            "├─ oak\n"
            "│  ├─ leaf\n"
            "│  └─ root  deep\n"
            "└─ fir  green in winter, as the other trees of this wood are not\n");
  EXPECT_EQ(
      tree_text({.label = "a", .children = {{.label = "b", .children = {{.label = "c"}}}, {.label = "d"}}}, false),
      "a\n"
      "|- b\n"
      "|  `- c\n"
      "`- d\n");
}

TEST(Tree, ANoteIsWrappedBelowItselfAndALabelBesideTheLines) {
  EXPECT_EQ(tree_text(forest(), true, 40),
            "wood\n"
            "├─ oak\n"
            "│  ├─ leaf\n"
            "│  └─ root  deep\n"
            "└─ fir  green in winter, as the other\n"
            "        trees of this wood are not\n");
  EXPECT_EQ(tree_text({.label = "a",
                       .children = {{.label = "one two three four five six seven", .children = {{.label = "b"}}}}},
                      true, 30),
            "a\n"
            "└─ one two three four five\n"
            "   │  six seven\n"
            "   └─ b\n");
}

TEST(Tree, ANoteThatHasNoRoomBesideIsBelow) {
  const TreeNode steps{
      .label = "steps",
      .children = {{.label = "08-debootstrap            debootstrap", .note = "runs: no build has kept it"},
                   {.label = "01-x", .note = "runs"}}};
  EXPECT_EQ(tree_text(steps, false, 30),
            "steps\n"
            "|- 08-debootstrap debootstrap\n"
            "|    runs: no build has kept\n"
            "|    it\n"
            "`- 01-x  runs\n");
}

TEST(Tree, NoLineIsWiderThanANarrowTerminal) {
  const TreeNode root{.label = "image-with-a-rather-long-name.qcow2",
                      .note = "debian, 3 elements",
                      .children = {{.label = "install.d/05-something-quite-long",
                                    .note = "kept: nothing of what it reads has changed",
                                    .children = {{.label = "a", .note = "runs"}, {.label = "b"}}}}};
  for (const std::size_t room : {20U, 24U, 33U, 39U}) {
    for (const std::string& line : split_lines(tree_text(root, true, room))) EXPECT_LE(columns(line), room) << line;
  }
}

}  // namespace
}  // namespace hearth::cli
