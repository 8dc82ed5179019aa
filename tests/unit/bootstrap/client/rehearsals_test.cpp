#include "bootstrap/client/rehearsals.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"

namespace hearth::bootstrap {
namespace {

class RehearsalsTest : public testing::Test {
 protected:
  fs::path make(const std::string& name) {
    RealFileSystem files;
    files.make_directories(work_.path() / name / "node", 0700);
    files.write(work_.path() / name / k_rehearsal_lock, "", {});
    return work_.path() / name;
  }

  TempDir work_ = TempDir::create(fs::temp_directory_path(), "rehearsals.");
};

TEST_F(RehearsalsTest, OneThatRunsIsToldFromOneThatHasEnded) {
  const fs::path ended = make("a.rehearsal");
  const fs::path runs = make("b.rehearsal");
  RealFileSystem().make_directories(work_.path() / "another", 0700);
  const FileLock lock = FileLock::try_acquire(runs / k_rehearsal_lock).value();
  const std::vector<RehearsalPlace> found = rehearsals_at(work_.path());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].folder, ended);
  EXPECT_FALSE(found[0].runs);
  EXPECT_EQ(found[1].folder, runs);
  EXPECT_TRUE(found[1].runs);
}

TEST_F(RehearsalsTest, AFolderMayBeOneItself) {
  const fs::path folder = make("a.rehearsal");
  const std::vector<RehearsalPlace> found = rehearsals_at(folder);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].folder, folder);
}

TEST_F(RehearsalsTest, AStateIsARehearsalsWhereItLiesInItsFolder) {
  const fs::path folder = make("a.rehearsal");
  ASSERT_TRUE(rehearsal_of(rehearsed_state(folder)));
  EXPECT_EQ(rehearsal_of(rehearsed_state(folder))->folder, folder);
  EXPECT_FALSE(rehearsal_of(folder / "other"));
  EXPECT_FALSE(rehearsal_of(work_.path() / "node"));
}

}  // namespace
}  // namespace hearth::bootstrap
