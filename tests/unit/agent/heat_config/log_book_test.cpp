#include "agent/heat_config/log_book.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <utime.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent {
namespace {

TEST(LogBookTest, LinesAreAppendedToTheFileOfTheirName) {
  const TempDir directory = TempDir::create("/tmp", "hearth-log-");
  {
    DirectoryLogBook book(directory.path() / "a/b");
    book.append("x", "one");
    book.append("y", "two");
    book.append("x", "three");
  }
  EXPECT_EQ(read_file(directory.path() / "a/b/x.log"), "one\nthree\n");
  EXPECT_EQ(read_file(directory.path() / "a/b/y.log"), "two\n");
  EXPECT_EQ(RealFileSystem().status(directory.path() / "a/b/x.log")->mode, 0600U);
  EXPECT_EQ(RealFileSystem().status(directory.path() / "a/b")->mode, 0700U);
}

void make_log(const fs::path& path, off_t size, std::time_t modified) {
  RealFileSystem().write(path, "", {});
  ASSERT_EQ(::truncate(path.c_str(), size), 0);
  const utimbuf times{modified, modified};
  ASSERT_EQ(::utime(path.c_str(), &times), 0);
}

TEST(LogBookTest, LogsDoNotFillTheDisk) {
  constexpr off_t mib = off_t{1} << 20U;
  const TempDir directory = TempDir::create("/tmp", "hearth-log-");
  make_log(directory.path() / "x.log", 17 * mib, 400);
  for (int i = 0; i < 3; ++i) make_log(directory.path() / cat("old", i, ".log"), 100 * mib, 100 + i);
  make_log(directory.path() / "other", 500 * mib, 1);
  DirectoryLogBook book(directory.path());
  book.append("x", "one");
  EXPECT_EQ(RealFileSystem().list(directory.path()),
            (std::vector<std::string>{"old1.log", "old2.log", "other", "x.log", "x.log.1"}));
  EXPECT_EQ(read_file(directory.path() / "x.log"), "one\n");
}

TEST(LogBookTest, ADirectoryThatCannotBeMadeIsNoError) {
  DirectoryLogBook book("/proc/no/such");
  book.append("x", "one");
  book.append("x", "two");
}

}  // namespace
}  // namespace hearth::agent
