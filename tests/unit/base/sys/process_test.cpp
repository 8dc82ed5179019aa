#include "base/sys/process.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {
namespace {

/// A zombie that its new parent has not reaped yet does not run.
bool is_running(pid_t pid) {
  const std::string stat = RealFileSystem().read(cat("/proc/", pid, "/stat")).value_or("");
  return !stat.empty() && stat.find(") Z") == std::string::npos;
}

class ProcessTest : public testing::Test {
 protected:
  SystemClock clock_;
  RealRunner runner_{clock_};

  CommandResult sh(const std::string& script) { return runner_.run(Command{.argv = {"/bin/sh", "-c", script}}); }
};

TEST_F(ProcessTest, CapturesBothStreamsAndTheExitCode) {
  const CommandResult result = sh("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.status, ExitStatus(Exited{7}));
}

TEST_F(ProcessTest, TellsASignalFromAnExit) {
  EXPECT_EQ(sh("kill -TERM $$").status, ExitStatus(Signaled{SIGTERM}));
  EXPECT_EQ(describe(Signaled{SIGTERM}), "killed by SIGTERM");
}

TEST_F(ProcessTest, AProgramThatCannotStartIsAnErrorNamingIt) {
  try {
    (void)runner_.run(Command{.argv = {"/no/such/program"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::external);
    EXPECT_STREQ(error.what(), "starting /no/such/program: No such file or directory");
  }
}

TEST_F(ProcessTest, StdinIsEmptyUnlessGiven) {
  EXPECT_EQ(sh("cat").out, "");
  EXPECT_EQ(runner_.run(Command{.argv = {"/bin/cat"}, .input = "hello"}).out, "hello");
}

TEST_F(ProcessTest, LargeInputAndOutputDoNotDeadlock) {
  const std::string big(5'000'000, 'x');
  EXPECT_EQ(runner_.run(Command{.argv = {"/bin/cat"}, .input = big}).out.size(), big.size());
}

TEST_F(ProcessTest, LinesArriveOneByOneInOrder) {
  std::vector<std::string> lines;
  const Command command{.argv = {"/bin/sh", "-c", "echo a; echo b >&2; printf c"},
                        .merge_err = true,
                        .on_line = [&](Stream, std::string_view line) { lines.emplace_back(line); }};
  EXPECT_TRUE(succeeded(runner_.run(command).status));
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(ProcessTest, TheDeadlineKillsTheWholeGroup) {
  const Command command{.argv = {"/bin/sh", "-c", "sleep 1000 & echo $!; wait"},
                        .deadline = Deadline::after(std::chrono::milliseconds(300), clock_)};
  const CommandResult result = runner_.run(command);
  EXPECT_EQ(result.status, ExitStatus(TimedOut{}));
  const pid_t grandchild = std::stoi(result.out);
  for (int i = 0; i < 100 && is_running(grandchild); ++i) clock_.sleep(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_running(grandchild));
}

TEST_F(ProcessTest, ADaemonHoldingThePipesDoesNotHoldTheCaller) {
  const MonotonicTime begin = clock_.now();
  const CommandResult result = sh("sleep 5 & echo done");
  EXPECT_EQ(result.out, "done\n");
  EXPECT_LT(clock_.now() - begin, std::chrono::seconds(3));
}

TEST_F(ProcessTest, TicksComeWhileASilentProgramRuns) {
  int ticks = 0;
  const CommandResult result = runner_.run(Command{.argv = {"/bin/sleep", "0.7"}, .on_tick = [&] { ++ticks; }});
  EXPECT_TRUE(succeeded(result.status));
  EXPECT_GE(ticks, 3);
}

TEST_F(ProcessTest, TicksDoNotHoldUpTheDeadline) {
  const Command command{.argv = {"/bin/sleep", "30"},
                        .on_tick = [] {},
                        .deadline = Deadline::after(std::chrono::milliseconds(300), clock_)};
  EXPECT_EQ(runner_.run(command).status, ExitStatus(TimedOut{}));
}

TEST_F(ProcessTest, TheEnvironmentIsExactlyWhatWasGiven) {
  const Command command{.argv = {"/usr/bin/env"}, .env = Environment{{"A", "1"}, {"PATH", "/bin"}}};
  EXPECT_EQ(runner_.run(command).out, "A=1\nPATH=/bin\n");
}

TEST_F(ProcessTest, RunCheckedThrowsWithTheLastLinesOfStderr) {
  try {
    run_checked(runner_, Command{.argv = {"/bin/sh", "-c", "echo why >&2; exit 3"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("exit code 3\n  why"), std::string::npos) << error.what();
    EXPECT_EQ(error.exit_code(), 3);
  }
}

}  // namespace
}  // namespace hearth
