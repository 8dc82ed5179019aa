#include "base/cli/page.hpp"

#include <gmock/gmock.h>

#include "base/cli/layout.hpp"
#include "base/text.hpp"
#include "tests/unit/base/cli/demo_program.hpp"

namespace hearth::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A page of the folder howto, beside two others.
std::string shown(const std::string& text, std::size_t width = 80) {
  Program program = demo();
  program.pages = {{"howto/this", "This", text}, {"howto/users", "Users", ""}, {"tutorials/plan", "Plan", ""}};
  program.pages_at = "/usr/share/doc/demo/docs";
  return page_text(program, program.pages.front(), width);
}

TEST(Page, ALinkNamesThePageThatHelpPrints) {
  EXPECT_EQ(shown("See [make a user](users.md#keys).\n"), "See make a user (demo help users).\n");
  EXPECT_EQ(shown("See [plan](../tutorials/plan.md).\n"), "See plan (demo help tutorials/plan).\n")
      << "'demo help plan' is a command's";
}

TEST(Page, ALinkToAnotherFileNamesTheInstalledPlace) {
  EXPECT_EQ(shown("[devuser](../../elements/devuser/README.md)\n"),
            "devuser (/usr/share/doc/demo/elements/devuser/README.md)\n");
  EXPECT_EQ(shown("![One](../pictures/one.png)\n"), "One (picture: /usr/share/doc/demo/docs/pictures/one.png)\n");
  EXPECT_EQ(shown("[goss](https://goss.example/x)\n"), "goss (https://goss.example/x)\n");
  EXPECT_EQ(shown("[below](#below)\n"), "below\n");
}

TEST(Page, AReadmeOutsideTheManualLeadsIntoIt) {
  Program program = demo();
  program.pages = {{"howto/users", "Users", ""}};
  const Page readme{"/usr/share/demo/elements/x/README.md", "",
                    "[a](../../docs/howto/users.md), [b](../y/README.md)\n"};
  EXPECT_EQ(page_text(program, readme, 80), "a (demo help users), b (/usr/share/demo/elements/y/README.md)\n");
}

TEST(Page, WhatIsEscapedForMarkdownIsReadAsItWas) {
  EXPECT_EQ(shown("pm\\_type \\[a\\] &lt;b\\> c\\d &c\n"), "pm_type [a] <b> c\\d &c\n");
  EXPECT_THAT(shown("| a |\n|---|\n| x\\_y |\n"), HasSubstr("| x_y |"));
}

TEST(Page, WhatIsNoLinkStays) {
  EXPECT_EQ(shown("`[a](b.md)` and [x, y] and 2 * 3, **all**!\n"), "`[a](b.md)` and [x, y] and 2 * 3, all!\n");
  EXPECT_EQ(shown("# A [headline]\n\n    a [b](users.md)\n"), "# A [headline]\n\n    a [b](users.md)\n");
  EXPECT_EQ(shown("a ` and [b\n"), "a ` and [b\n");
}

TEST(Page, ParagraphsAndItemsAreFilledToTheWidthAndCodeIsNot) {
  EXPECT_EQ(
      shown("one two\nthree four\n\n- five six\n  seven\n- eight\n\n      nine ten eleven twelve\n", 12),
      "one two\nthree four\n\n- five six\n  seven\n- eight\n\n      nine\n      ten\n      eleven\n      twelve\n");
  EXPECT_EQ(shown("1. one two three\n\n        code stays as wide as it is\n\n    four five six\n", 12),
            "1. one two\n   three\n\n        code stays as wide as it is\n\n    four\n    five six\n");
  EXPECT_EQ(shown("text\n\n    code that is wide\n\n```\nso [is](users.md) this\n```\n", 8),
            "text\n\n    code that is wide\n\n```\nso [is](users.md) this\n```\n");
}

TEST(Page, TablesAreDrawnWithinTheWidth) {
  const std::string text = shown("| a | b |\n|---|---|\n| `x \\| y` | [users](users.md), and many more words |\n", 40);
  EXPECT_THAT(text, HasSubstr("| `x | y` |"));
  EXPECT_THAT(text, HasSubstr("demo help users"));
  EXPECT_THAT(text, Not(HasSubstr("---|")));
  for (const std::string& line : split_lines(text)) EXPECT_LE(columns(line), 40U) << line;
}

}  // namespace
}  // namespace hearth::cli
