#include "base/cli/markdown.hpp"

#include <gmock/gmock.h>

#include "tests/unit/base/cli/demo_program.hpp"

namespace hearth::cli {
namespace {

using testing::HasSubstr;

std::vector<ManualPage> markdown_of_demo() { return markdown_pages(demo(), demo().commands); }

TEST(Markdown, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(markdown("a_b *c* `d` [e] <f> g|h \\ #1"), "a\\_b \\*c\\* \\`d\\` \\[e\\] &lt;f\\> g\\|h \\\\ \\#1");
}

TEST(MarkdownPages, ThereIsOneOfAllCommandsOfEachOneOfLinksAndTopics) {
  std::vector<std::string> files;
  for (const ManualPage& page : markdown_of_demo()) files.push_back(page.file);
  EXPECT_THAT(files, testing::ElementsAre("commands.md", "demo-image-create.md", "demo-image-show.md",
                                          "demo-node-power-on.md", "demo-node-power-off.md", "demo-plan.md",
                                          "demo-crash.md", "demo-stop.md", "disk-image-create.md", "exit-codes.md"));
}

TEST(MarkdownPages, ACommandsPageHasUsageProseExamplesAndOptions) {
  EXPECT_EQ(markdown_of_demo()[1].text,
            "# demo image create\n\nmakes an image\n\n"
            "    demo image create [OPTION…] ELEMENT…\n\n"
            "At length.\n\nFor example:\n\n    demo image create -o a b\n\n"
            "## Results\n\n| option | what |\n|---|---|\n"
            "| `-t, --type TYPE[,TYPE…]` | what to write |\n"
            "| `--cache DIR` | what is kept |\n\n"
            "## Other options\n\n| option | what |\n|---|---|\n"
            "| `-o, --output FILE` | where to |\n"
            "| `-q, --quiet` | less |\n"
            "| `-h, --help` | show this help |\n\n");
}

TEST(MarkdownPages, ThePageOfAllCommandsLeadsToEach) {
  const std::string text = markdown_of_demo()[0].text;
  EXPECT_THAT(text, HasSubstr("## Images\n\nWhat boots.\n\n| command | what |\n|---|---|\n"
                              "| [demo image create](demo-image-create.md) | makes an image |\n"));
  EXPECT_THAT(text, HasSubstr("| [disk-image-create](disk-image-create.md) | makes an image, as ever |\n"));
  EXPECT_THAT(text, HasSubstr("- [Exit status](exit-codes.md)\n"));
}

}  // namespace
}  // namespace hearth::cli
