#include "base/sys/lock.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth {
namespace {

class FileLockTest : public testing::Test {
 protected:
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path path_ = dir_.path() / "lock";
};

TEST_F(FileLockTest, OnlyOneHoldsIt) {
  const std::optional<FileLock> lock = FileLock::try_acquire(path_);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(FileLock::try_acquire(path_));
  EXPECT_EQ(in_child([&] { return FileLock::try_acquire(path_) ? 1 : 0; }), 0);
}

TEST_F(FileLockTest, GoingOutOfScopeGivesItBackAndKeepsTheFile) {
  { const auto lock = FileLock::try_acquire(path_); }
  EXPECT_TRUE(RealFileSystem().status(path_).has_value());
  EXPECT_TRUE(FileLock::try_acquire(path_));
}

TEST_F(FileLockTest, AKilledHolderDoesNotKeepIt) {
  Pipe ready = Pipe::create();
  const pid_t holder = start_child([&] {
    const auto lock = FileLock::try_acquire(path_);
    write_all(ready.write, "x", "the pipe");
    ::pause();
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(::read(ready.read.get(), &byte, 1), 1);
  EXPECT_FALSE(FileLock::try_acquire(path_));
  ::kill(holder, SIGKILL);
  EXPECT_EQ(end_of_child(holder), 128 + SIGKILL);
  EXPECT_TRUE(FileLock::try_acquire(path_));
}

TEST_F(FileLockTest, WhoeverHasPatienceGetsWhatIsGivenBackMeanwhile) {
  Pipe ready = Pipe::create();
  const pid_t holder = start_child([&] {
    const auto lock = FileLock::try_acquire(path_);
    write_all(ready.write, "x", "the pipe");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(::read(ready.read.get(), &byte, 1), 1);
  EXPECT_FALSE(FileLock::try_acquire(path_));
  EXPECT_FALSE(FileLock::try_acquire(path_, std::chrono::milliseconds(10)));
  EXPECT_TRUE(FileLock::try_acquire(path_, std::chrono::seconds(60)));
  EXPECT_EQ(end_of_child(holder), 0);
}

TEST_F(FileLockTest, ItsHolderIsNamed) {
  EXPECT_EQ(FileLock::holder(path_), "another process");
  const auto lock = FileLock::try_acquire(path_);
  EXPECT_TRUE(FileLock::holder(path_).starts_with(cat("process ", ::getpid(), " ("))) << FileLock::holder(path_);
  const auto whole = FileLock::try_acquire(dir_.path());
  EXPECT_FALSE(FileLock::try_acquire(dir_.path()));
}

TEST_F(FileLockTest, OthersMayNotReadTheFile) {
  const auto lock = FileLock::try_acquire(path_);
  EXPECT_EQ(RealFileSystem().status(path_)->mode & 0077U, 0U);
}

TEST_F(FileLockTest, AMissingFolderIsAnError) {
  EXPECT_THROW((void)FileLock::try_acquire(dir_.path() / "no/lock"), Error);
}

TEST_F(FileLockTest, WhoeverWaitedForWhatWasRemovedHoldsWhatIsThereNow) {
  Pipe ready = Pipe::create();
  const pid_t holder = start_child([&] {
    const auto lock = FileLock::try_acquire(path_);
    write_all(ready.write, "x", "the pipe");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    fs::remove(path_);
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(::read(ready.read.get(), &byte, 1), 1);
  const std::optional<FileLock> lock = FileLock::try_acquire(path_, std::chrono::seconds(60));
  ASSERT_TRUE(lock);
  EXPECT_EQ(end_of_child(holder), 0);
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(FileLock::try_acquire(path_));
}

}  // namespace
}  // namespace hearth
