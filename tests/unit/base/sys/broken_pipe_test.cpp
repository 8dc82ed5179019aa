#include "base/sys/broken_pipe.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "base/sys/fd.hpp"

namespace hearth {
namespace {

TEST(NoBrokenPipeSignal, AWriteWithoutReaderFailsAndKillsNobody) {
  const auto write_to_nobody = [] {
    Pipe pipe = Pipe::create();
    pipe.read = Fd();
    errno = 0;
    const ssize_t written = ::write(pipe.write.get(), "x", 1);
    return written < 0 && errno == EPIPE;
  };
  EXPECT_EXIT(
      {
        std::signal(SIGPIPE, SIG_DFL);
        bool fails = false;
        {
          const NoBrokenPipeSignal guard;
          fails = write_to_nobody();
        }
        _exit(fails ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        std::signal(SIGPIPE, SIG_DFL);
        { const NoBrokenPipeSignal guard; }
        write_to_nobody();
        _exit(1);
      },
      testing::KilledBySignal(SIGPIPE), "")
      << "as before, behind it";
}

}  // namespace
}  // namespace hearth
