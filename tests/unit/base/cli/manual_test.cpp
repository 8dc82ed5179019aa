#include "base/cli/manual.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/unit/base/cli/demo_program.hpp"

namespace hearth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<ManualPage> pages() { return manual_pages(demo(), demo().commands); }

TEST(Troff, EscapesWhatTroffWouldReadOrChange) {
  EXPECT_EQ(troff("a-b \\ 'c' \"d\" `e` ^ ~"), "a\\-b \\e \\(aqc\\(aq \\(dqd\\(dq \\(gae\\(ga \\(ha \\(ti");
  EXPECT_EQ(troff(".conf"), "\\&.conf");
  EXPECT_EQ(troff("ELEMENT… ä"), "ELEMENT\\[u2026] \\[u00E4]");
}

TEST(ManualPages, ThereIsOneOfTheProgramOfEachCommandAndEachLink) {
  std::vector<std::string> files;
  for (const ManualPage& page : pages()) files.push_back(page.file);
  EXPECT_THAT(
      files, ElementsAre("demo.1", "demo-image-create.1", "demo-image-show.1", "demo-node-power-on.1",
                         "demo-node-power-off.1", "demo-plan.1", "demo-crash.1", "demo-stop.1", "disk-image-create.1"));
}

TEST(ManualPages, ACommandsPageHasSectionsInTheUsualOrder) {
  EXPECT_EQ(pages()[1].text,
            ".TH \"DEMO\\-IMAGE\\-CREATE\" 1 \"\" \"demo 1.2\" \"demo\"\n"
            ".SH NAME\ndemo\\-image\\-create \\- makes an image\n"
            ".SH \"SYNOPSIS\"\n.B demo image create\n[OPTION\\[u2026]] ELEMENT\\[u2026]\n"
            ".SH \"DESCRIPTION\"\nAt length.\n"
            ".SH \"EXAMPLES\"\ndemo image create \\-o a b\n"
            ".SH \"OPTIONS\"\n.SS \"Results\"\n"
            ".TP\n\\fB\\-t\\fR, \\fB\\-\\-type\\fR \\fITYPE[,TYPE\\[u2026]]\\fR\nwhat to write\n"
            ".TP\n\\fB\\-\\-cache\\fR \\fIDIR\\fR\nwhat is kept\n"
            ".SS \"Other options\"\n"
            ".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nwhere to\n"
            ".TP\n\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\nless\n"
            ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow this help\n"
            ".SH \"SEE ALSO\"\n.BR demo (1)\n");
}

TEST(ManualPages, TheProgramsPageHasGroupsAndTopics) {
  const std::string text = pages()[0].text;
  EXPECT_THAT(text, HasSubstr(".SS \"Images\"\nWhat boots.\n.TP\n.BR demo\\-image\\-create (1)\nmakes an image\n"));
  EXPECT_THAT(text, HasSubstr(".SH \"EXIT STATUS\"\n0 done, 1 failed.\n"));
  EXPECT_THAT(text, HasSubstr(".SH \"SEE ALSO\"\n.BR disk\\-image\\-create (1)\n"));
}

TEST(ManualPages, APageOfTheManualIsOneOfSectionSeven) {
  Program program = demo();
  program.pages = {
      {"howto/ssh", "Log in by ssh", "# Log in by ssh\n\nSee [users](users.md).\n\n## At once\n\n    .ssh 'web'\n"},
      {"howto/users", "Users", "# Users\n"}};
  const std::vector<ManualPage> all = manual_chapters(program);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].file, "demo-ssh.7");
  EXPECT_EQ(all[0].text,
            ".TH \"DEMO\\-SSH\" 7 \"\" \"demo 1.2\" \"demo\"\n.SH NAME\ndemo\\-ssh \\- Log in by ssh\n"
            ".SH \"DESCRIPTION\"\n.nf\nSee users (demo help users).\n\n.fi\n"
            ".SH \"At once\"\n.nf\n    .ssh \\(aqweb\\(aq\n.fi\n"
            ".SH \"SEE ALSO\"\n.BR demo (1)\n.PP\nFiles that are named here lie below share/doc/demo, where that is "
            "installed.\n");
}

TEST(WriteManual, MakesTheDirectory) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  EXPECT_EQ(write_manual(pages(), (dir.path() / "a/b").string()), 0);
  EXPECT_EQ(read_file(dir.path() / "a/b/demo-plan.1"), pages()[5].text);
}

TEST(WriteManual, TroffHasNothingToSayAboutThePages) {
  if (!fs::exists("/usr/bin/groff")) GTEST_SKIP() << "groff is not installed";
  SystemClock clock;
  RealRunner runner(clock);
  for (const ManualPage& page : pages()) {
    const hearth::Command groff{.argv = {"groff", "-man", "-Tutf8", "-ww", "-z"}, .input = page.text};
    EXPECT_EQ(runner.run(groff).err, "") << page.file;
  }
}

}  // namespace
}  // namespace hearth::cli
