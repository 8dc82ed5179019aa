#include "base/sys/process_copy.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/error.hpp"

namespace hearth {
namespace {

std::optional<ExitStatus> end_of(ProcessCopy& copy) {
  pollfd end{copy.end().get(), POLLIN, 0};
  (void)::poll(&end, 1, 10'000);
  return copy.ended();
}

TEST(ProcessCopyTest, WritesWhereItIsToldAndEndsWithItsResult) {
  Pipe out = Pipe::create();
  Pipe err = Pipe::create();
  ProcessCopy copy = ProcessCopy::start(
      [] {
        std::fputs("said", stdout);
        std::fputs("warned", stderr);
        return 7;
      },
      out.write, err.write);
  out.write = Fd();
  err.write = Fd();
  EXPECT_EQ(read_all(out.read, "the pipe"), "said");
  EXPECT_EQ(read_all(err.read, "the pipe"), "warned");
  EXPECT_EQ(end_of(copy), ExitStatus(Exited{7}));
}

TEST(ProcessCopyTest, SignalsEndItThoughItsStarterMindsThem) {
  const Fd nothing = Fd::open("/dev/null", O_RDWR);
  ::signal(SIGTERM, SIG_IGN);
  ProcessCopy copy = ProcessCopy::start([] { return ::pause(); }, nothing, nothing);
  ::signal(SIGTERM, SIG_DFL);
  EXPECT_FALSE(copy.ended());
  copy.signal(SIGTERM);
  EXPECT_EQ(end_of(copy), ExitStatus(Signaled{SIGTERM}));
}

TEST(ProcessCopyTest, OneThatCantBeWatchedIsEndedAndSignalsComeAsBefore) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "UBSan looks at an object's type by a pipe of its own, and takes it for none where there are no descriptors";
#endif
  const Fd nothing = Fd::open("/dev/null", O_RDWR);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{static_cast<rlim_t>(nothing.get()) + 1, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_THROW((void)ProcessCopy::start([] { return ::pause(); }, nothing, nothing), Error);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
}

}  // namespace
}  // namespace hearth
