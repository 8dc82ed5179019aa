#include "base/cli/completion.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/unit/base/cli/demo_program.hpp"

namespace hearth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

Words offered(const Words& line) {
  Words words;
  for (const Offer& offer : offers(demo(), line).words) words.push_back(offer.word);
  return words;
}

TEST(Offers, WordsOfCommandsEachOnce) {
  EXPECT_THAT(offered({"demo", ""}), ElementsAre("image", "node", "plan", "crash", "stop", "help", "completion"));
  EXPECT_THAT(offered({"demo", "im"}), ElementsAre("image"));
  EXPECT_THAT(offered({"demo", "image", ""}), ElementsAre("create", "show"));
}

TEST(Offers, ThirdWords) {
  EXPECT_THAT(offered({"demo", "node", ""}), ElementsAre("power"));
  EXPECT_THAT(offered({"demo", "node", "power", ""}), ElementsAre("on", "off"));
  EXPECT_THAT(offered({"demo", "node", "power", "of"}), ElementsAre("off"));
}

TEST(Offers, NothingAfterAWrongWord) { EXPECT_THAT(offered({"demo", "imagine", ""}), IsEmpty()); }

TEST(Offers, SayWhatTheyStandFor) {
  EXPECT_THAT(offers(demo(), {"demo", "image", "s"}).words, ElementsAre(Offer{"show", "shows one"}));
  EXPECT_THAT(offers(demo(), {"demo", "no"}).words, ElementsAre(Offer{"node", "node …"}));
}

TEST(Offers, OptionsOfTheCommand) {
  EXPECT_THAT(offered({"demo", "image", "create", "--"}),
              ElementsAre("--output", "--quiet", "--type", "--cache", "--help"));
  EXPECT_THAT(offered({"demo", "plan", "x", "--j"}), ElementsAre("--json"));
  EXPECT_THAT(offered({"disk-image-create", "-"}), ElementsAre("-x", "--help"));
}

TEST(Offers, ValuesOfAnOption) {
  EXPECT_THAT(offered({"demo", "image", "create", "--type", ""}), ElementsAre("raw", "qcow2"));
  EXPECT_THAT(offered({"demo", "image", "create", "-qt", "r"}), ElementsAre("raw"));
  EXPECT_THAT(offered({"demo", "image", "create", "--type", "raw,q"}), ElementsAre("raw,qcow2"));
  EXPECT_THAT(offered({"demo", "image", "create", "--type=q"}), ElementsAre("--type=qcow2"));
}

TEST(Offers, BashMakesAWordOfTheEqualsSign) {
  EXPECT_THAT(offered({"demo", "image", "create", "--type", "=", "q"}), ElementsAre("qcow2"));
  EXPECT_THAT(offered({"demo", "image", "create", "--type", "=", ""}), ElementsAre("raw", "qcow2"));
}

TEST(Offers, LettersWithTheirValueAttachedWaitForNothing) {
  EXPECT_THAT(offered({"demo", "image", "create", "-oxt", ""}), ElementsAre("vm", "debian"));
}

TEST(Offers, OperandsByWhatTheTableCallsThem) {
  EXPECT_THAT(offered({"demo", "image", "create", "de"}), ElementsAre("debian"));
  EXPECT_EQ(offers(demo(), {"demo", "image", "show", ""}).places, Offers::Places::files);
  EXPECT_EQ(offers(demo(), {"demo", "image", "create", "-o", ""}).places, Offers::Places::files);
  EXPECT_EQ(offers(demo(), {"demo", "image", "create", "--cache", ""}).places, Offers::Places::directories);
  EXPECT_EQ(offers(demo(), {"demo", "node", "power", "on", ""}).places, Offers::Places::none);
  EXPECT_THAT(offered({"demo", "image", "create", "--", "-"}), IsEmpty());
}

TEST(Offers, TopicsOfHelp) {
  EXPECT_THAT(offered({"demo", "help", "im"}), ElementsAre("images", "image"));
  EXPECT_THAT(offered({"demo", "help", "node", "power", "o"}), ElementsAre("on", "off"));
}

TEST(OfferLines, HaveATabBeforeWhatAWordStandsFor) {
  EXPECT_EQ(offer_lines({{{"a", "what a is"}, {"b", ""}}, Offers::Places::files}), "a\twhat a is\nb\t\n\tfiles\n");
  EXPECT_EQ(offer_lines({{}, Offers::Places::directories}), "\tdirectories\n");
}

TEST(CompletionScript, IsThereForThreeShells) {
  EXPECT_THAT(completion_script(demo(), "bash"), HasSubstr("complete -F _demo demo disk-image-create\n"));
  EXPECT_THAT(completion_script(demo(), "zsh"), HasSubstr("#compdef demo disk-image-create\n"));
  EXPECT_THAT(completion_script(demo(), "fish"), HasSubstr("for name in demo disk-image-create\n"));
  EXPECT_THROW((void)completion_script(demo(), "csh"), Error);
}

/// The scripts in their shells, beside a program that answers with what it is asked and two files.
class InAShell : public testing::Test {
 protected:
  InAShell() {
    files_.make_directories(dir_.path() / "files/folder", 0755);
    files_.write(dir_.path() / "files/file name", "", {.mode = 0644});
    files_.write(dir_.path() / "demo", "#!/bin/sh\nfor w; do printf '<%s>' \"$w\"; done >asked\ncat answer\n",
                 {.mode = 0755});
  }
  std::string shell(const Words& argv) {
    return run_checked(runner_, hearth::Command{.argv = argv, .cwd = dir_.path().string()});
  }
  void answer(const std::string& lines) { files_.write(dir_.path() / "files/answer", lines, {.mode = 0644}); }
  std::string asked() { return read_file(dir_.path() / "files/asked"); }
  /// What bash offers for these words, the last of which is being typed.
  std::string in_bash(const Words& words) {
    const std::string& current = words.back();
    const std::string script = cat(completion_script(demo(), "bash"), "cd files\ncompopt() { :; }\nCOMP_WORDS=(",
                                   shell_join(words), ")\nCOMP_CWORD=", words.size() - 1, "\n_demo ../demo ",
                                   shell_quote(current), "\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    return shell({"bash", "-uc", script});
  }
  bool has(const std::string& program) { return find_program(program, current_environment()).has_value(); }

  SystemClock clock_;
  RealRunner runner_{clock_};
  RealFileSystem files_;
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
};

TEST_F(InAShell, BashAsksForTheLineUpToTheCursor) {
  answer("create\tmakes one\nshow\t\n");
  EXPECT_EQ(in_bash({"demo", "image", ""}), "create\nshow\n");
  EXPECT_EQ(asked(), "<--complete><demo><image><>");
}

TEST_F(InAShell, BashOffersFilesWhereTheProgramSaysSo) {
  answer("word\t\n\tfiles\n");
  EXPECT_EQ(in_bash({"demo", "image", "show", "f"}), "word\nfile name\nfolder\n");
  answer("\tdirectories\n");
  EXPECT_EQ(in_bash({"demo", "image", "show", "f"}), "folder\n");
}

TEST_F(InAShell, ZshReadsItsScript) {
  if (!has("zsh")) GTEST_SKIP() << "zsh is not installed";
  files_.write(dir_.path() / "_demo", completion_script(demo(), "zsh"), {.mode = 0644});
  EXPECT_EQ(shell({"zsh", "-n", "_demo"}), "");
}

TEST_F(InAShell, FishShowsWhatTheProgramAnswers) {
  if (!has("fish")) GTEST_SKIP() << "fish is not installed";
  answer("create\tmakes one\n");
  files_.write(dir_.path() / "demo.fish", completion_script(demo(), "fish"), {.mode = 0644});
  const std::string script =
      cat("cd files; set PATH ", dir_.path().string(), " $PATH; source ../demo.fish; complete -C 'demo image c'");
  EXPECT_THAT(shell({"fish", "--no-config", "-c", script}), HasSubstr("create\tmakes one"));
}

}  // namespace
}  // namespace hearth::cli
