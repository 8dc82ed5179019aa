#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth {
namespace {

/// A zombie that its new parent has not reaped yet does not run.
bool is_running(pid_t pid) {
  const std::string stat = RealFileSystem().read(cat("/proc/", pid, "/stat")).value_or("");
  return !stat.empty() && stat.find(") Z") == std::string::npos;
}

class RunnerTest : public testing::Test {
 protected:
  SystemClock clock_;
  RealRunner runner_{clock_};

  CommandResult sh(const std::string& script) { return runner_.run(Command{.argv = {"/bin/sh", "-c", script}}); }
};

TEST_F(RunnerTest, CapturesBothStreamsAndTheExitCode) {
  const CommandResult result = sh("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.status, ExitStatus(Exited{7}));
}

TEST_F(RunnerTest, TellsASignalFromAnExit) {
  EXPECT_EQ(sh("kill -TERM $$").status, ExitStatus(Signaled{SIGTERM}));
  EXPECT_EQ(describe(Signaled{SIGTERM}), "killed by SIGTERM");
}

TEST_F(RunnerTest, AProgramThatCannotStartIsAnErrorNamingIt) {
  try {
    (void)runner_.run(Command{.argv = {"/no/such/program"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::external);
    EXPECT_STREQ(error.what(), "starting /no/such/program: No such file or directory");
  }
}

TEST_F(RunnerTest, StdinIsEmptyUnlessGiven) {
  EXPECT_EQ(sh("cat").out, "");
  EXPECT_EQ(runner_.run(Command{.argv = {"/bin/cat"}, .input = "hello"}).out, "hello");
}

TEST_F(RunnerTest, LargeInputAndOutputDoNotDeadlock) {
  const std::string big(5'000'000, 'x');
  EXPECT_EQ(runner_.run(Command{.argv = {"/bin/cat"}, .input = big}).out.size(), big.size());
}

TEST_F(RunnerTest, LinesArriveOneByOneInOrder) {
  std::vector<std::string> lines;
  const Command command{.argv = {"/bin/sh", "-c", "echo a; echo b >&2; printf c"},
                        .merge_err = true,
                        .on_line = [&](Stream, std::string_view line) { lines.emplace_back(line); }};
  EXPECT_TRUE(succeeded(runner_.run(command).status));
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(RunnerTest, TheDeadlineKillsTheWholeGroup) {
  const Command command{.argv = {"/bin/sh", "-c", "sleep 1000 & echo $!; wait"},
                        .deadline = Deadline::after(std::chrono::milliseconds(300), clock_)};
  const CommandResult result = runner_.run(command);
  EXPECT_EQ(result.status, ExitStatus(TimedOut{}));
  const pid_t grandchild = std::stoi(result.out);
  for (int i = 0; i < 100 && is_running(grandchild); ++i) clock_.sleep(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_running(grandchild));
}

TEST_F(RunnerTest, ADaemonHoldingThePipesDoesNotHoldTheCaller) {
  const MonotonicTime begin = clock_.now();
  const CommandResult result = sh("sleep 5 & echo done");
  EXPECT_EQ(result.out, "done\n");
  EXPECT_LT(clock_.now() - begin, std::chrono::seconds(3));
}

TEST_F(RunnerTest, TicksComeWhileASilentProgramRuns) {
  int ticks = 0;
  const CommandResult result = runner_.run(Command{.argv = {"/bin/sleep", "0.7"}, .on_tick = [&] { ++ticks; }});
  EXPECT_TRUE(succeeded(result.status));
  EXPECT_GE(ticks, 3);
}

TEST_F(RunnerTest, TicksDoNotHoldUpTheDeadline) {
  const Command command{.argv = {"/bin/sleep", "30"},
                        .on_tick = [] {},
                        .deadline = Deadline::after(std::chrono::milliseconds(300), clock_)};
  EXPECT_EQ(runner_.run(command).status, ExitStatus(TimedOut{}));
}

TEST_F(RunnerTest, TheEnvironmentIsExactlyWhatWasGiven) {
  const Command command{.argv = {"/usr/bin/env"}, .env = Environment{{"A", "1"}, {"PATH", "/bin"}}};
  EXPECT_EQ(runner_.run(command).out, "A=1\nPATH=/bin\n");
}

TEST_F(RunnerTest, RunCheckedThrowsWithTheLastLinesOfStderr) {
  try {
    run_checked(runner_, Command{.argv = {"/bin/sh", "-c", "echo why >&2; exit 3"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("exit code 3\n  why"), std::string::npos) << error.what();
    EXPECT_EQ(error.exit_code(), 3);
  }
}

TEST_F(RunnerTest, AReaderThatStopsReadingDoesNotKillUs) {
  const std::string big(5'000'000, 'x');
  EXPECT_TRUE(succeeded(runner_.run(Command{.argv = {"/bin/true"}, .input = big}).status));
  EXPECT_EQ(runner_.run(Command{.argv = {"/usr/bin/head", "-c", "3"}, .input = big}).out, "xxx");
}

TEST_F(RunnerTest, ALineMayComeInManyPieces) {
  std::vector<std::string> lines;
  const Command command{.argv = {"/bin/sh", "-c", "printf a; sleep 0.1; printf b; sleep 0.1; printf 'c\\n\\nd\\n'"},
                        .on_line = [&](Stream, std::string_view line) { lines.emplace_back(line); }};
  EXPECT_EQ(runner_.run(command).out, "");
  EXPECT_EQ(lines, (std::vector<std::string>{"abc", "", "d"}));
}

TEST_F(RunnerTest, DiscardedOutputIsNotCollected) {
  const CommandResult result = runner_.run(
      Command{.argv = {"/bin/sh", "-c", "echo out; echo err >&2"}, .out = Output::discard, .err = Output::capture});
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "err\n");
}

TEST_F(RunnerTest, MergedStreamsKeepTheirOrder) {
  const CommandResult result =
      runner_.run(Command{.argv = {"/bin/sh", "-c", "echo 1; echo 2 >&2; echo 3"}, .merge_err = true});
  EXPECT_EQ(result.out, "1\n2\n3\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(RunnerTest, RunCheckedPassesOnTheShellCodeOfASignal) {
  try {
    run_checked(runner_, Command{.argv = {"/bin/sh", "-c", "kill -KILL $$"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 137);
  }
}

TEST_F(RunnerTest, RunCheckedShowsOnlyTheLastTenLines) {
  try {
    run_checked(runner_, Command{.argv = {"/bin/sh", "-c", "seq 1 12 >&2; exit 1"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("\n  2\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  3\n"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hearth
