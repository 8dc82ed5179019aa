#include "base/sys/sync.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth {
namespace {

class SyncTest : public testing::Test {
 protected:
  void write(const fs::path& file) {
    const Fd fd = Fd::open(file.string(), O_WRONLY | O_CREAT, 0600);
    write_all(fd, "contents", file.string());
  }
  /// Whether all of `file` is there after each cut that came behind the promise.
  bool survives(fakes::LossyDisk& disk, const fs::path& file) {
    bool whole = true;
    disk.promise("synced");
    disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
      whole = whole && (cut.promised.empty() || RealFileSystem().read(file) == "contents");
    });
    return whole;
  }
  TempDir directory_ = TempDir::create("/tmp", "hearth-test-");
  fs::path file_ = directory_.path() / "file";
};

TEST_F(SyncTest, AFileThatIsSyncedWithItsNameSurvivesAPowerCut) {
  fakes::LossyDisk disk(directory_.path());
  write(file_);
  sync_file(file_);
  sync_directory(directory_.path());
  EXPECT_TRUE(survives(disk, file_));
}

TEST_F(SyncTest, NeitherItsContentsAloneNorItsNameAloneDo) {
  {
    fakes::LossyDisk disk(directory_.path());
    write(file_);
    sync_file(file_);
    EXPECT_FALSE(survives(disk, file_));
  }
  fakes::LossyDisk disk(directory_.path());
  write(directory_.path() / "other");
  sync_directory(directory_.path());
  EXPECT_FALSE(survives(disk, directory_.path() / "other"));
}

TEST_F(SyncTest, AFileSystemHasTreesInIt) {
  fakes::LossyDisk disk(directory_.path());
  fs::create_directories(directory_.path() / "a/b");
  write(directory_.path() / "a/b/c");
  sync_file_system(directory_.path());
  EXPECT_TRUE(survives(disk, directory_.path() / "a/b/c"));
}

TEST_F(SyncTest, WhatIsNotThereIsTold) {
  EXPECT_THROW(sync_file("/dev/null/nonexistent/x"), Error);
  EXPECT_THROW(sync_directory("/dev/null/nonexistent"), Error);
  EXPECT_THROW(sync_file_system("/dev/null/nonexistent"), Error);
}

}  // namespace
}  // namespace hearth
