#include "base/sys/later_sync.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/sys/file.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth {
namespace {

class LaterSyncTest : public testing::Test {
 protected:
  /// Until so much is kept; false where that takes longer than anybody would wait.
  static bool wait_for(const LaterSync& sync, std::uint64_t number) {
    for (int tries = 0; tries < 5000 && sync.kept() < number && !sync.is_lost(); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return sync.kept() >= number;
  }
  TempDir directory_ = TempDir::create("/tmp", "hearth-test-");
  fs::path file_ = directory_.path() / "file";
};

TEST_F(LaterSyncTest, WhatItSaysIsKeptSurvivesAPowerCutAndSoDoesAllAtItsEnd) {
  fakes::LossyDisk disk(directory_.path());
  const Fd fd = Fd::open(file_.string(), O_WRONLY | O_CREAT, 0600);
  sync_directory(directory_.path());
  {
    LaterSync sync(file_, {});
    for (std::uint64_t n = 1; n <= 3; ++n) {
      write_all(fd, std::string(700, 'x'), file_.string());
      sync.wrote();
      ASSERT_TRUE(wait_for(sync, n));
      disk.promise("one");
    }
    write_all(fd, std::string(700, 'x'), file_.string());
    sync.wrote();
  }
  disk.promise("one");
  disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    EXPECT_GE(RealFileSystem().read(file_).value_or("").size(), cut.promised.size() * 700) << cut.where;
  });
}

TEST_F(LaterSyncTest, ManyWritesAreKeptByFewFlushesAndEachFlushIsNews) {
  RealFileSystem().write(file_, "x", {});
  std::atomic<int> news = 0;
  LaterSync sync(file_, [&] { ++news; });
  EXPECT_EQ(sync.kept(), 0U);
  for (int n = 0; n < 5000; ++n) sync.wrote();
  EXPECT_TRUE(wait_for(sync, 5000));
  EXPECT_EQ(sync.written(), 5000U);
  EXPECT_LT(news, 2500);
  EXPECT_GT(sync.longest().count(), 0);
  EXPECT_EQ(sync.trouble(), "");
}

TEST_F(LaterSyncTest, AFlushThatFailsIsTheEndSinceNoOtherWouldTellTheTruth) {
  std::atomic<int> news = 0;
  LaterSync sync(file_, [&] { ++news; });  // there is no such file
  sync.wrote();
  EXPECT_FALSE(wait_for(sync, 1));
  EXPECT_TRUE(sync.is_lost());
  EXPECT_NE(sync.trouble().find(file_.string()), std::string::npos) << sync.trouble();
  RealFileSystem().write(file_, "x", {});
  sync.wrote();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(sync.kept(), 0U);
  EXPECT_EQ(news, 1);
}

}  // namespace
}  // namespace hearth
