#include "base/sys/later_sync.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <memory>

#include "base/error.hpp"
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
  RealFileSystem().write(file_, "x", {});
  std::atomic<int> news = 0;
  auto disk = std::make_unique<fakes::LossyDisk>(directory_.path());
  disk->refuse_syncs();
  LaterSync sync(file_, [&] { ++news; });
  sync.wrote();
  EXPECT_FALSE(wait_for(sync, 1));
  EXPECT_TRUE(sync.is_lost());
  EXPECT_NE(sync.trouble().find(file_.string()), std::string::npos) << sync.trouble();
  disk.reset();  // which is well again
  sync.wrote();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  sync.end();
  EXPECT_EQ(sync.kept(), 0U);
  EXPECT_EQ(news, 1);
}

TEST_F(LaterSyncTest, WhatItNeedsForAFlushIsThereWhateverElseIsOpenAndWhateverBecomesOfTheName) {
  EXPECT_THROW(LaterSync(file_, {}), Error);
  RealFileSystem().write(file_, "x", {});
  LaterSync sync(file_, {});
  fs::remove(file_);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  sync.wrote();
  const bool is_kept = wait_for(sync, 1);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(is_kept) << sync.trouble();
}

TEST_F(LaterSyncTest, AtItsEndAllIsKept) {
  RealFileSystem().write(file_, "x", {});
  LaterSync sync(file_, {});
  for (int n = 0; n < 100; ++n) sync.wrote();
  sync.end();
  EXPECT_EQ(sync.kept(), 100U);
  EXPECT_FALSE(sync.is_lost());
}

}  // namespace
}  // namespace hearth
