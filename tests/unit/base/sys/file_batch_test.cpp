#include "base/sys/file_batch.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth {
namespace {

class FileBatchTest : public testing::Test {
 protected:
  fs::path path(const std::string& name) const { return dir_.path() / name; }
  TempDir dir_ = TempDir::create("/tmp", "file-batch-test-");
};

TEST_F(FileBatchTest, AllFilesAreReplacedWithTheirModes) {
  RealFileSystem().write(path("b"), "old", {});
  write_together({{path("a"), "1", {.mode = 0600}}, {path("b"), "2", {.mode = 0751}}});
  EXPECT_EQ(read_file(path("a")), "1");
  EXPECT_EQ(read_file(path("b")), "2");
  EXPECT_EQ(RealFileSystem().status(path("a"))->mode, 0600U);
  EXPECT_EQ(RealFileSystem().status(path("b"))->mode, 0751U);
}

TEST_F(FileBatchTest, WhenOneCannotBeWrittenNoneIsReplaced) {
  RealFileSystem().write(path("a"), "old", {});
  EXPECT_THROW(write_together({{path("a"), "new", {}}, {path("missing/b"), "new", {}}}), Error);
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(RealFileSystem().list(dir_.path()), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace hearth
