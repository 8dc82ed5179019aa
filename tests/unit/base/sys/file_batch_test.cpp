#include "base/sys/file_batch.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/error.hpp"
#include "base/text.hpp"

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

TEST_F(FileBatchTest, WhenOneCannotGetItsNameNoneIsReplaced) {
  RealFileSystem().write(path("a"), "old", {});
  fs::create_directory(path("directory"));
  for (const std::string& wrong : {std::string(256, 'n'), std::string("directory")}) {
    EXPECT_THROW(write_together({{path("a"), "new", {}}, {path("b"), "new", {}}, {path(wrong), "new", {}}}), Error);
    EXPECT_EQ(read_file(path("a")), "old") << wrong;
    EXPECT_EQ(RealFileSystem().list(dir_.path()), (std::vector<std::string>{"a", "directory"})) << wrong;
  }
}

TEST_F(FileBatchTest, MoreFilesThanMayBeOpenAreReplacedTogetherOrNotAtAll) {
  rlimit few{};
  ::getrlimit(RLIMIT_NOFILE, &few);
  const rlimit before = few;
  few.rlim_cur = 320;
  ::setrlimit(RLIMIT_NOFILE, &few);
  std::vector<FileToWrite> files;
  for (int i = 0; i < 700; ++i) files.push_back({path(cat("f", i)), "new", {.mode = 0640}});
  write_together(files);
  for (const FileToWrite& file : files) ASSERT_EQ(read_file(file.path), "new");
  for (FileToWrite& file : files) file.data = "newer";
  files.push_back({path("missing/b"), "new", {}});
  EXPECT_THROW(write_together(files), Error);
  ::setrlimit(RLIMIT_NOFILE, &before);
  for (int i = 0; i < 700; ++i) ASSERT_EQ(read_file(path(cat("f", i))), "new");
  EXPECT_EQ(RealFileSystem().list(dir_.path()).size(), 700U);  // nor is anything left beside them
}

}  // namespace
}  // namespace hearth
