#include "base/sys/first_start.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth {
namespace {

class FirstStartTest : public testing::Test {
 protected:
  void lay_down() const {
    files_.make_directories(state_ / "metadata", 0700);
    files_.write(state_ / "lock", "", {});
    files_.write(state_ / "metadata" / "state.db", "rows", {});
    fs::create_symlink(other_, state_ / "link");
  }
  void SetUp() override {
    files_.make_directories(other_, 0755);
    files_.write(other_ / "kept", "", {});
  }

  mutable RealFileSystem files_;
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path state_ = dir_.path() / "a" / "b";
  fs::path other_ = dir_.path() / "other";
};

TEST_F(FirstStartTest, OfOneThatDoesNotHappenNothingIsLeft) {
  {
    const FirstStart first(state_);
    EXPECT_FALSE(fs::exists(dir_.path() / "a"));
    lay_down();
  }
  EXPECT_FALSE(fs::exists(dir_.path() / "a"));
  EXPECT_TRUE(fs::exists(other_ / "kept")) << "a link leads nowhere";
}

TEST_F(FirstStartTest, AnEmptyFolderStaysEmpty) {
  fs::create_directories(state_);
  {
    const FirstStart first(state_);
    lay_down();
  }
  EXPECT_TRUE(fs::is_empty(state_));
}

TEST_F(FirstStartTest, WhatServesStays) {
  {
    FirstStart first(state_);
    lay_down();
    first.happened();
  }
  EXPECT_TRUE(fs::exists(state_ / "metadata" / "state.db"));
}

TEST_F(FirstStartTest, WhatWasThereBeforeStays) {
  lay_down();
  {
    const FirstStart first(state_);
    files_.write(state_ / "more", "", {});
  }
  EXPECT_TRUE(fs::exists(state_ / "metadata" / "state.db"));
  EXPECT_TRUE(fs::exists(state_ / "more"));
}

TEST_F(FirstStartTest, OneThatBeganBesideItIsLeftAlone) {
  for (const fs::path& locked : {state_, state_ / "lock"}) {
    fs::remove_all(state_);
    std::optional<FileLock> other;
    {
      const FirstStart first(state_);
      lay_down();
      other = FileLock::try_acquire(locked);
      ASSERT_TRUE(other);
    }
    EXPECT_TRUE(fs::exists(state_ / "metadata" / "state.db")) << locked;
  }
}

TEST_F(FirstStartTest, OneWithoutALockHoldsItsFolder) {
  FirstStart first(state_);
  lay_down();
  first.hold();
  EXPECT_FALSE(FileLock::try_acquire(state_));
  first.happened();
  EXPECT_FALSE(FileLock::try_acquire(state_)) << "for as long as it serves";
}

}  // namespace
}  // namespace hearth
