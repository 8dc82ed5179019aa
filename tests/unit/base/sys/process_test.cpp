#include "base/sys/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth {
namespace {

TEST(ExitStatusText, TellsHowAProcessEnded) {
  EXPECT_EQ(describe(Exited{7}), "exit code 7");
  EXPECT_EQ(describe(Signaled{SIGKILL}), "killed by SIGKILL");
  EXPECT_EQ(describe(Signaled{SIGRTMIN + 3}), cat("killed by signal ", SIGRTMIN + 3));
  EXPECT_EQ(describe(TimedOut{}), "stopped at its deadline");
}

TEST(ExitStatusText, ShellCodesAreThoseOfAShell) {
  EXPECT_EQ(shell_code(Exited{7}), 7);
  EXPECT_EQ(shell_code(Signaled{SIGTERM}), 143);
  EXPECT_EQ(shell_code(TimedOut{}), 124);
  EXPECT_FALSE(succeeded(Exited{1}));
  EXPECT_TRUE(succeeded(Exited{0}));
}

TEST(CurrentEnvironment, HoldsWhatWasSetHere) {
  ::setenv("HEARTH_TEST_VARIABLE", "a=b", 1);
  EXPECT_EQ(current_environment().at("HEARTH_TEST_VARIABLE"), "a=b");
  ::unsetenv("HEARTH_TEST_VARIABLE");
  EXPECT_EQ(current_environment().count("HEARTH_TEST_VARIABLE"), 0U);
}

class ChildTest : public testing::Test {
 protected:
  SystemClock clock_;
  Pipe pipe_ = Pipe::create();

  /// Runs to the end and returns what was printed.
  std::string output_of(SpawnOptions options) {
    options.out = pipe_.write.get();
    Child child = Child::spawn(options);
    pipe_.write = Fd();
    EXPECT_EQ(child.wait(Deadline::never(), clock_), ExitStatus(Exited{0}));
    return read_all(pipe_.read, "the pipe");
  }
};

TEST_F(ChildTest, RunsInItsDirectory) { EXPECT_EQ(output_of({.argv = {"/bin/pwd"}, .cwd = "/usr"}), "/usr\n"); }

TEST_F(ChildTest, ALeadingNameIsLookedUpInThePathOfItsEnvironment) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem().write(dir.path() / "greet", "#!/bin/sh\necho hi $0\n", {.mode = 0755});
  EXPECT_EQ(output_of({.argv = {"greet"}, .env = Environment{{"PATH", dir.path().string()}}}),
            cat("hi ", (dir.path() / "greet").string(), "\n"));
}

TEST_F(ChildTest, NoOtherDescriptorReachesIt) {
  const Fd inheritable(::dup(0));                                                // without FD_CLOEXEC
  EXPECT_EQ(output_of({.argv = {"/bin/ls", "/proc/self/fd"}}), "0\n1\n2\n3\n");  // 3 is the listing itself
}

TEST_F(ChildTest, AConfinedOneSeesNoNetworkNoProcessesAndNoKernelCommandLine) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may confine";
  const std::string script =
      "echo $$; sed 's/:.*//' /proc/net/dev | tail -n +3; set -- /proc/[0-9]*; echo $#; cat /proc/cmdline;"
      "echo $((0x$(sed -n 's/^CapEff:.//p' /proc/self/status) >> 16 & 1))";  // CAP_SYS_MODULE
  EXPECT_EQ(output_of({.argv = {"/bin/sh", "-c", script}, .root = "/", .confined = true}), "1\n    lo\n1\n0\n");
  EXPECT_FALSE(read_all(Fd::open("/proc/cmdline", O_RDONLY), "cmdline").empty()) << "ours is as it was";
}

TEST_F(ChildTest, AMissingDirectoryIsAnErrorNamingIt) {
  try {
    (void)Child::spawn({.argv = {"/bin/true"}, .cwd = "/no/such/place"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "changing the directory to /no/such/place: No such file or directory");
  }
}

TEST_F(ChildTest, WaitingEndsAtTheDeadlineAndTheChildGoesOn) {
  Child child = Child::spawn({.argv = {"/bin/sleep", "100"}});
  EXPECT_EQ(child.wait(Deadline::after(std::chrono::milliseconds(50), clock_), clock_), std::nullopt);
  EXPECT_EQ(::kill(child.pid(), 0), 0);
  EXPECT_EQ(child.kill_and_wait(), ExitStatus(Signaled{SIGKILL}));
}

TEST_F(ChildTest, ASignalReachesTheWholeGroup) {
  Child child = Child::spawn({.argv = {"/bin/sh", "-c", "sleep 100 & wait"}, .out = pipe_.write.get()});
  pipe_.write = Fd();
  clock_.sleep(std::chrono::milliseconds(100));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait(Deadline::never(), clock_), ExitStatus(Signaled{SIGTERM}));
  EXPECT_EQ(read_all(pipe_.read, "the pipe"), "");  // ends only when the sleep has gone, too
}

TEST_F(ChildTest, DestroyingItKillsAndReapsIt) {
  pid_t pid = 0;
  {
    const Child child = Child::spawn({.argv = {"/bin/sleep", "100"}});
    pid = child.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST_F(ChildTest, IgnoredSignalsAreNotInherited) {
  ::signal(SIGPIPE, SIG_IGN);
  const std::string status = output_of({.argv = {"/bin/grep", "SigIgn", "/proc/self/status"}});
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(status, "SigIgn:\t0000000000000000\n");
}

TEST_F(ChildTest, BlockedSignalsAreNotInheritedAndOursAreAsTheyWere) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
  EXPECT_EQ(output_of({.argv = {"/bin/grep", "SigBlk", "/proc/self/status"}}), "SigBlk:\t0000000000000000\n");
  EXPECT_THROW((void)Child::spawn({.argv = {"/no/such/program"}}), Error);
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  for (const int number : {SIGUSR1, SIGUSR2, SIGTERM}) {
    EXPECT_EQ(::sigismember(&after, number), number == SIGUSR1 ? 1 : 0) << number;
  }
}

TEST_F(ChildTest, OneThatEndsWhileAnotherIsStartedInterruptsNoOtherThread) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const Fd ours(ends[0]);
  const Fd theirs(ends[1]);
  std::atomic<bool> is_done = false;
  std::thread other([&] {
    std::vector<Child> children;
    for (int i = 0; i < 200; ++i) children.push_back(Child::spawn({.argv = {"/bin/true"}}));
    for (Child& child : children) EXPECT_EQ(child.wait(Deadline::never(), clock_), ExitStatus(Exited{0}));
    is_done = true;
  });
  const timeval patience{0, 50'000};  // with one, the kernel does not go on waiting by itself
  ::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  int interrupted = 0;
  char byte = 0;
  while (!is_done) {
    if (::recv(ours.get(), &byte, 1, 0) < 0 && errno == EINTR) ++interrupted;
  }
  other.join();
  EXPECT_EQ(interrupted, 0);
}

TEST(FindProgram, TakesTheFirstExecutableFileOfThePath) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  for (const char* folder : {"a", "b", "c"}) files.make_directories(dir.path() / folder, 0755);
  files.make_directories(dir.path() / "a/tool", 0755);  // a directory is no program
  files.write(dir.path() / "b/plain", "not executable", {.mode = 0644});
  files.write(dir.path() / "c/tool", "#!/bin/sh\n", {.mode = 0755});
  files.write(dir.path() / "c/plain", "#!/bin/sh\n", {.mode = 0755});
  const std::string path =
      cat((dir.path() / "a").string(), ":", (dir.path() / "b").string(), "::", (dir.path() / "c").string());
  EXPECT_EQ(find_program("tool", {{"PATH", path}}), dir.path() / "c/tool");
  EXPECT_EQ(find_program("none", {{"PATH", path}}), std::nullopt);
  EXPECT_EQ(find_program("plain", {{"PATH", path}}), dir.path() / "c/plain");
}

TEST(FindProgram, WithoutAPathLooksInTheUsualPlaces) { EXPECT_TRUE(find_program("sh", {}).has_value()); }

TEST(ParseEnvironment, ReadsNulSeparatedVariablesWithTheirNewlines) {
  const std::string text = std::string("A=1") + '\0' + "B=two\nlines=x" + '\0' + "junk" + '\0' + "EMPTY=" + '\0';
  EXPECT_EQ(parse_environment(text), (Environment{{"A", "1"}, {"B", "two\nlines=x"}, {"EMPTY", ""}}));
}

TEST(SpawnExtra, TheExtraDescriptorIsNumberThreeAndNoOtherIsInherited) {
  Pipe pipe = Pipe::create();
  Child child = Child::spawn(
      {.argv = {"/bin/sh", "-c", "echo hello >&3; ls /proc/self/fd | tr '\\n' ' ' >&3"}, .extra = pipe.write.get()});
  pipe.write = Fd();
  EXPECT_EQ(read_all(pipe.read, "the pipe"), "hello\n0 1 2 3 4 ");  // 4 is ls's own, of the directory
  const SystemClock clock;
  EXPECT_EQ(child.wait(Deadline::never(), clock), ExitStatus(Exited{0}));
}

}  // namespace
}  // namespace hearth
