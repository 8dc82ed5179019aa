#include "base/sys/process_copy.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

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

}  // namespace
}  // namespace hearth
