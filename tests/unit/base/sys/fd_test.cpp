#include "base/sys/fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "base/error.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(FdTest, OwnsItsDescriptor) {
  int number = -1;
  {
    const Fd fd = Fd::open("/dev/null", O_RDONLY);
    number = fd.get();
    EXPECT_TRUE(is_open(number));
    EXPECT_EQ(::fcntl(number, F_GETFD), FD_CLOEXEC);
  }
  EXPECT_FALSE(is_open(number));
}

TEST(FdTest, MovingHandsTheDescriptorOn) {
  Fd first = Fd::open("/dev/null", O_RDONLY);
  const int number = first.get();
  Fd second = Fd::open("/dev/null", O_RDONLY);
  const int replaced = second.get();
  second = std::move(first);
  EXPECT_FALSE(is_open(replaced));
  EXPECT_EQ(second.get(), number);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): empty by contract
}

TEST(FdDeathTest, WhatTheCallerClosedIsNoFileOfOurs) {
  const auto act = [] {
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    hold_standard_descriptors();
    const Fd lock = Fd::open("/dev/null", O_RDWR);
    char byte = 0;
    const bool is_held = lock.get() > STDERR_FILENO && ::write(STDOUT_FILENO, "x", 1) < 0 &&
                         ::read(STDIN_FILENO, &byte, 1) < 0 && ::write(STDERR_FILENO, "told\n", 5) == 5;
    ::_exit(is_held ? 7 : 1);
  };
  EXPECT_EXIT(act(), testing::ExitedWithCode(7), "told");
}

TEST(FdTest, ReleaseLeavesItOpen) {
  Fd fd = Fd::open("/dev/null", O_RDONLY);
  const Fd again(fd.release());
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(again.get()));
}

TEST(FdTest, CloseReportsAndClosingNothingIsFine) {
  Fd fd = Fd::open("/dev/null", O_RDONLY);
  ::close(fd.get());
  EXPECT_THROW(fd.close(), Error);
  EXPECT_NO_THROW(fd.close());
}

TEST(FdTest, OpeningNamesThePath) {
  try {
    (void)Fd::open("/no/such/file", O_RDONLY);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "opening /no/such/file: No such file or directory");
    EXPECT_EQ(error.system_error(), ENOENT);
  }
}

TEST(WriteAll, WritesMoreThanAPipeHolds) {
  Pipe pipe = Pipe::create();
  const std::string big(1'000'000, 'x');
  const pid_t writer = start_child([&] {
    pipe.read = Fd();
    write_all(pipe.write, big, "the pipe");
    return 0;
  });
  pipe.write = Fd();
  EXPECT_EQ(read_all(pipe.read, "the pipe"), big);
  EXPECT_EQ(end_of_child(writer), 0);
}

TEST(WriteAll, AFullDeviceIsAnErrorNamingTheTarget) {
  try {
    write_all(Fd::open("/dev/full", O_WRONLY), "x", "the disk");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "writing the disk: No space left on device");
  }
}

TEST(ReadAll, RefusesMoreThanItsLimit) {
  Pipe pipe = Pipe::create();
  write_all(pipe.write, "12345", "the pipe");
  pipe.write = Fd();
  EXPECT_THROW((void)read_all(pipe.read, "the pipe", 4), Error);
}

TEST(ReadAll, TakesExactlyItsLimit) {
  Pipe pipe = Pipe::create();
  write_all(pipe.write, "1234", "the pipe");
  pipe.write = Fd();
  EXPECT_EQ(read_all(pipe.read, "the pipe", 4), "1234");
}

}  // namespace
}  // namespace hearth
