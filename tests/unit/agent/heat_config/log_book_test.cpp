#include "agent/heat_config/log_book.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

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

TEST(LogBookTest, ADirectoryThatCannotBeMadeIsNoError) {
  DirectoryLogBook book("/proc/no/such");
  book.append("x", "one");
  book.append("x", "two");
}

}  // namespace
}  // namespace hearth::agent
