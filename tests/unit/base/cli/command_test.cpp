#include "base/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::cli {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Program demo() {
  return {.name = "demo",
          .summary = "shows things",
          .version = "1.2",
          .commands = {
              {.words = "image create",
               .operands = "ELEMENT…",
               .summary = "makes an image",
               .details = "At length.",
               .options = {{"output", 'o', "FILE", "where to"}, {"quiet", 'q', "", "less"}},
               .run = [](const Arguments& a) { return static_cast<int>(a.operands().size()); }},
              {.words = "image show", .summary = "shows one", .run = [](const Arguments&) -> int { return 0; }},
              {.words = "plan",
               .summary = "prints the plan",
               .options = {{"json", 0, "", "as JSON"}},
               .run = [](const Arguments&) -> int { throw Error(ErrorKind::external, "hook failed", 42); }},
              {.words = "crash",
               .summary = "breaks",
               .run = [](const Arguments&) -> int { throw std::logic_error("oops"); }},
              {.words = "stop",
               .summary = "is stopped",
               .run = [](const Arguments&) -> int { throw Error(ErrorKind::interrupted, "stopped"); }},
          }};
}

Outcome run_demo(const Words& words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = run(demo(), words);
  std::fflush(nullptr);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(RunProgram, FindsTheCommandAndGivesItTheRest) { EXPECT_EQ(run_demo({"image", "create", "a", "-q", "b"}).code, 2); }

TEST(RunProgram, WithoutWordsShowsHelpAsAnError) {
  const Outcome outcome = run_demo({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("image create  makes an image"));
}

TEST(RunProgram, HelpListsAllCommandsAligned) {
  for (const char* word : {"--help", "-h", "help"}) {
    const Outcome outcome = run_demo({word});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("  plan          prints the plan\n"));
  }
}

TEST(RunProgram, AGroupListsItsOwnCommandsOnly) {
  const Outcome outcome = run_demo({"image"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("image show"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("prints the plan")));
  EXPECT_EQ(run_demo({"image", "--help"}).code, 0);
}

TEST(RunProgram, ACommandExplainsItself) {
  const Outcome outcome = run_demo({"image", "create", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out,
            "usage: demo image create [OPTION…] ELEMENT…\n\nmakes an image\n\nAt length.\n\nOptions:\n"
            "  -o, --output FILE           where to\n"
            "  -q, --quiet                 less\n"
            "  -h, --help                  show this help\n");
}

TEST(RunProgram, TellsItsVersion) { EXPECT_EQ(run_demo({"--version"}).out, "demo 1.2\n"); }

TEST(RunProgram, AnUnknownCommandSuggestsTheNearest) {
  const Outcome outcome = run_demo({"image", "crate"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is no command 'image crate'; did you mean 'image create'?"));
  EXPECT_THAT(run_demo({"plam", "x"}).err, HasSubstr("did you mean 'plan'?"));
  EXPECT_THAT(run_demo({"entirely-different"}).err, testing::Not(HasSubstr("did you mean")));
}

TEST(RunProgram, AWrongOptionIsAUsageErrorOfThatCommand) {
  const Outcome outcome = run_demo({"image", "create", "--nope"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("demo image create: unrecognized option '--nope'"));
  EXPECT_THAT(outcome.err, HasSubstr("Try 'demo image create --help'."));
}

TEST(RunProgram, PassesOnTheExitCodeOfWhatFailed) {
  const Outcome outcome = run_demo({"plan"});
  EXPECT_EQ(outcome.code, 42);
  EXPECT_EQ(outcome.err, "demo plan: hook failed\n");
  EXPECT_EQ(run_demo({"stop"}).code, 130);
}

TEST(RunProgram, AForeignExceptionIsAnInternalErrorAndNoCrash) {
  const Outcome outcome = run_demo({"crash"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("internal error: oops"));
}

TEST(RunSingle, SpeaksUnderItsOwnName) {
  Program program = demo();
  program.name = "disk-image-create";
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_single(program, program.commands[0], {"--bad"}), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("disk-image-create: unrecognized option '--bad'"));
  EXPECT_EQ(run_single(program, program.commands[0], {"a", "b", "c"}), 3);
}

TEST(RunSingle, ACommandMayHaveAHelpOfItsOwn) {
  const Command command{.options = {{"help", 'h', "", ""}},
                        .run = [](const Arguments& a) { return a.has("help") ? 5 : 6; }};
  EXPECT_EQ(run_single(demo(), command, {"-h"}), 5);
}

class Completion : public testing::Test {
 protected:
  SystemClock clock_;
  RealRunner runner_{clock_};

  /// What bash would offer for these words, the last of which is being typed.
  std::string offered(const Words& words) {
    std::string script = cat(bash_completion(demo()), "COMP_WORDS=(", shell_join(words),
                             ")\nCOMP_CWORD=", words.size() - 1, "\n_demo\necho \"${COMPREPLY[*]}\"\n");
    return std::string(
        trim(run_checked(runner_, hearth::Command{.argv = {"bash", "-uc", script}, .cwd = "/proc/self/fdinfo"})));
  }
};

TEST_F(Completion, IsAValidBashScript) {
  EXPECT_NO_THROW(run_checked(runner_, hearth::Command{.argv = {"bash", "-n"}, .input = bash_completion(demo())}));
}

TEST_F(Completion, OffersGroupsThenCommandsThenOptions) {
  EXPECT_EQ(offered({"demo", ""}), "crash image plan stop");
  EXPECT_EQ(offered({"demo", "im"}), "image");
  EXPECT_EQ(offered({"demo", "image", ""}), "create show");
  EXPECT_EQ(offered({"demo", "image", "create", "--o"}), "--output");
}

TEST_F(Completion, OffersTheOptionsOfAOneWordCommand) {
  EXPECT_EQ(offered({"demo", "plan", "--"}), "--json");
  EXPECT_EQ(offered({"demo", "plan", "x", "--j"}), "--json");
}

}  // namespace
}  // namespace hearth::cli
