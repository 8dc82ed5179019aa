#include "base/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/cli/help.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/path.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/unit/base/cli/demo_program.hpp"

namespace hearth::cli {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

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

TEST(RunProgram, AWordThatNobodyReadsIsRefused) {
  Program program{"demo", "a demo", "1", {}};
  program.commands = {{.words = "list",
                       .operands = "",
                       .summary = "lists",
                       .options = {{"template", 't', "FILE", "a template"}},
                       .run = [](const Arguments&) { return 0; }}};
  EXPECT_EQ(run(program, {"list"}), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(program, {"list", "top.yaml"}), 2);
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr(
          "'top.yaml' is one word too many: demo list takes options only\n  A file is named by -t, --template FILE."));
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(program, {"lits"}), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("did you mean 'list'?"));
}

/// What a program that failed said of its own files is no word of the command line.
TEST(RunProgram, OfAFailedProgramsWordsNoFileIsGuessed) {
  const TempDir place = TempDir::create(fs::temp_directory_path(), "command.");
  const fs::path before = fs::current_path();
  fs::create_directories(place.path() / "here/myapp");
  fs::current_path(place.path() / "here");
  const auto told = [](ErrorKind kind) {
    Program program{"demo", "a demo", "1", {}};
    program.commands = {{.words = "make",
                         .operands = "NAME",
                         .summary = "makes",
                         .options = {},
                         .run = [kind](const Arguments&) -> int {
                           throw Error(kind, "../img/myapp: python3: No such file or directory");
                         }}};
    testing::internal::CaptureStderr();
    EXPECT_NE(run(program, {"make", "../img/myapp"}), 0);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(told(ErrorKind::input), HasSubstr("Did you mean myapp?"));
  EXPECT_THAT(told(ErrorKind::external), testing::Not(HasSubstr("Did you mean")));
  fs::current_path(before);
}

TEST(RunProgram, WhatWasReadAndLacksAMemberIsToldByWhoTookItApart) {
  const auto take_apart = [](const Arguments&) { return Json::object().at("uuid").get<int>(); };
  Program program{"demo", "a demo", "1", {}};
  program.commands = {{.words = "a", .operands = "", .summary = "", .options = {}, .run = take_apart}};
  for (Command& row : answered_by("a conductor", {{"b", "", "", "", {}, take_apart}})) program.commands.push_back(row);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(program, {"a"}), 1);
  EXPECT_EQ(run(program, {"b"}), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "demo a: what was read is not of the form that it should have: \"uuid\" is missing\n"
            "demo b: the answer is not a conductor's: \"uuid\" is missing\n"
            "  is it another service that answers at this address, or one of another version?\n");
}

TEST(RunProgram, LongAndBrokenWordsDoNotFillTheScreen) {
  const auto fail = [](const Arguments& arguments) -> int {
    throw Error(ErrorKind::input, cat("there is no image ", arguments.operand(0, "image")));
  };
  Program program{"demo", "a demo", "1", {}};
  program.commands = {{.words = "a", .operands = "IMAGE", .summary = "", .options = {}, .run = fail}};
  const auto said = [&](const std::string& word) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(program, {"a", word}), 1);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said("x\ndemo: all is well"), "demo a: there is no image x\\ndemo: all is well\n");
  EXPECT_LT(said(std::string(10000, 'x')).size(), 200U);
  const auto look = [](const Arguments& arguments) { return fs::exists(arguments.operand(0, "image")) ? 0 : 1; };
  program.commands = {{.words = "a", .operands = "IMAGE", .summary = "", .options = {}, .run = look}};
  EXPECT_THAT(said(std::string(10000, 'x')),
              testing::AllOf(testing::EndsWith("x…: File name too long\n"), testing::Not(HasSubstr("internal"))));
  const std::string reason = bounded_story(cat("of a file: ", std::string(10000, 'y'), ": it is wrong"), {});
  EXPECT_LT(reason.size(), 2100U);
  EXPECT_THAT(reason, testing::EndsWith("yy: it is wrong"));
}

TEST(RunProgram, AnEmptyWordNamesNothing) {
  const Outcome outcome = run_demo({"image", "show", ""});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("demo image show: IMAGE: an empty word names nothing; is a variable not set?"));
}

TEST(RunProgram, AFirstWordThatIsRightLeadsToWhatBeginsSo) {
  EXPECT_THAT(
      run_demo({"image", "entirely-different"}).err,
      HasSubstr(
          "there is no command 'image entirely-different'\n  `demo image` prints those that begin so: create, show."));
}

TEST(RunProgram, WhatOnlyAnotherProgramHasIsToldWithItsCommand) {
  Program program{.name = "demo", .summary = "s", .version = "1", .commands = {}};
  program.elsewhere = {{"node boot device", "other node boot device does it"}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(program, {"node", "boot", "device", "set", "a"}), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("there is no command 'node boot device' here\n  other node boot device does it"));
}

TEST(RunProgram, WhatOtherProgramsCallItIsUnderstood) {
  EXPECT_THAT(run_demo({"image", "build", "x"}).err, HasSubstr("'image build'; did you mean 'image create'?"));
  EXPECT_THAT(run_demo({"image", "info"}).err, HasSubstr("'image info'; did you mean 'image show'?"));
  EXPECT_THAT(run_demo({"image", "help"}).err, HasSubstr("did you mean 'demo help image'?"));
  EXPECT_THAT(run_demo({"image", "snow"}).err, HasSubstr("did you mean 'image show'?"));
  EXPECT_THAT(run_demo({"image", "on"}).err, HasSubstr("'image on'; did you mean 'node power on'?"))
      << "what ends so elsewhere";
  EXPECT_THAT(run_demo({"image", "plan", "x"}).err, HasSubstr("'image plan'; did you mean 'plan x'?"))
      << "a command of one word";
  for (const char* word : {"version", "--versoin"})
    EXPECT_THAT(run_demo({word}).err, HasSubstr("did you mean '--version'?")) << word;
  EXPECT_THAT(run_demo({"image", "slog"}).err, testing::Not(HasSubstr("did you mean")))
      << "half of it is other letters";
}

TEST(RunProgram, WithoutWordsShowsHelpAsAnError) {
  const Outcome outcome = run_demo({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("First of all:\n  image create  makes an image\n"));
}

TEST(RunProgram, HelpIsTheSameOnStdout) {
  for (const char* word : {"--help", "-h", "help"}) {
    const Outcome outcome = run_demo({word});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out, run_demo({}).err);
  }
}

TEST(RunProgram, HelpTakesATopicOfSeveralWords) {
  EXPECT_EQ(run_demo({"help", "image", "create"}).out, run_demo({"image", "create", "--help"}).out);
  EXPECT_EQ(run_demo({"help", "exit-codes"}).out, "Exit status\n\n0 done, 1 failed.\n");
  const Outcome wrong = run_demo({"help", "imags"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'images'?"));
}

TEST(RunProgram, HelpKeepsToTheWidthThatColumnsNames) {
  ::setenv("COLUMNS", "40", 1);
  const std::string narrow = run_demo({"help"}).out;
  ::unsetenv("COLUMNS");
  for (const std::string& line : split_lines(narrow)) EXPECT_LE(line.size(), 46U) << line;  // "…" has three bytes
  EXPECT_NE(narrow, run_demo({"help"}).out);
}

TEST(RunProgram, AGroupListsItsOwnCommandsOnly) {
  const Outcome outcome = run_demo({"image"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("image show"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("prints the plan")));
  EXPECT_EQ(run_demo({"image", "--help"}).code, 0);
  EXPECT_EQ(run_demo({"node", "power"}).code, 2);
  EXPECT_THAT(run_demo({"node", "power", "--help"}).out, HasSubstr("node power off"));
}

TEST(RunProgram, ACommandExplainsItself) {
  const Outcome outcome = run_demo({"image", "create", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, command_help("demo image create", demo().commands[0], 80));
}

TEST(RunProgram, TellsItsVersion) { EXPECT_EQ(run_demo({"--version"}).out, "demo 1.2\n"); }

TEST(RunProgram, AnUnknownCommandSuggestsTheNearest) {
  const Outcome outcome = run_demo({"image", "crate"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is no command 'image crate'; did you mean 'image create'?"));
  EXPECT_THAT(run_demo({"plam", "x"}).err, HasSubstr("did you mean 'plan'?"));
  EXPECT_THAT(run_demo({"entirely-different"}).err, testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(run_demo({"create", "x.json"}).err,
              HasSubstr("there is no command 'create'; did you mean 'image create'?"));
  EXPECT_THAT(run_demo({"create", "-o", "x"}).err,
              HasSubstr("there is no command 'create'; did you mean 'image create'?"));
  EXPECT_THAT(run_demo({"disk-image-create", "x"}).err,
              HasSubstr("there is no command 'disk-image-create'; did you mean 'image create'?"));
}

TEST(RunProgram, AWrongOptionIsAUsageErrorOfThatCommand) {
  const Outcome outcome = run_demo({"image", "create", "--nope"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("demo image create: unrecognized option '--nope'"));
  EXPECT_THAT(outcome.err, HasSubstr("Try 'demo image create --help'."));
  EXPECT_THAT(run_demo({"image", "show", "--image", "a"}).err,
              HasSubstr("'--image'\n  IMAGE stands by itself, without an option: demo image show IMAGE\n"));
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

TEST(RunAs, ALinksNameRunsTheLink) {
  EXPECT_EQ(run_as("disk-image-create", demo(), {"a", "b"}), 12);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_as("disk-image-create", demo(), {"--bad"}), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("disk-image-create: unrecognized option '--bad'"));
}

TEST(RunAs, AnyOtherNameRunsTheProgram) { EXPECT_EQ(run_as("other", demo(), {"image", "create", "a"}), 1); }

TEST(RunAs, ShellsAskALinkForItsOwnOptions) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_as("disk-image-create", demo(), {"--complete", "disk-image-create", "-"}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "-x\ttrace\n--help\tshow this help\n");
}

TEST(RunProgram, BehindTheWordsThatAreRightTheNearestOrAllAreTold) {
  Program program{"demo", "a demo", "1", {}};
  for (const char* words : {"node power on", "node power off", "node reboot", "node role"})
    program.commands.push_back(
        {.words = words, .operands = "NODE…", .summary = "", .run = [](const Arguments&) { return 0; }});
  const auto told = [&](const Words& words) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(program, words), 2);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(told({"node", "power", "onn", "n1"}),
              HasSubstr("no command 'node power onn'; did you mean 'node power on'?"));
  EXPECT_THAT(told({"node", "power", "frob"}), HasSubstr("'node power frob'; behind 'node power' stands off or on\n"));
  EXPECT_THAT(told({"node", "power", "reboot", "n1"}), HasSubstr("did you mean 'node reboot'?"));
}

}  // namespace
}  // namespace hearth::cli
