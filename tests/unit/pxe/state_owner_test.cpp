#include "pxe/state_owner.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::pxe {
namespace {

TEST(StateTree, isFollowedFromALinkToItButNotOutOfIt) {
  const TempDir directory = TempDir::create("/tmp", "state-owner-");
  const fs::path state = directory.path() / "state";
  fs::create_directories(state / "inner");
  fs::create_symlink(state, directory.path() / "link");
  fs::create_symlink("/", state / "inner/out");
  const StateTree tree((directory.path() / "link").string());
  EXPECT_EQ(tree.owner(), ::geteuid());
  EXPECT_EQ(tree.of_others(::geteuid()), "") << "what is behind the link in it is the system's";
  fakes::MemoryLogger log;
  tree.give(::geteuid(), ::getegid(), log);
  if (::geteuid() != 0) return;
  ASSERT_EQ(::lchown((state / "inner/out").c_str(), 4321, 4321), 0);
  EXPECT_EQ(tree.of_others(0), (directory.path() / "link/inner/out").string());
  tree.give(0, 0, log);
  EXPECT_TRUE(log.holds("is of user 4321: it is not given to who serves"));
}

TEST(StateTree, doesNotGiveWhatHasAnotherNameElsewhere) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const TempDir directory = TempDir::create("/tmp", "state-owner-");
  const fs::path state = directory.path() / "state";
  fs::create_directories(state);
  RealFileSystem().write(directory.path() / "elsewhere", "", {});
  RealFileSystem().write(state / "own", "", {});
  fs::create_hard_link(directory.path() / "elsewhere", state / "hard");
  fakes::MemoryLogger log;
  StateTree(state.string()).give(4321, 4321, log);
  struct stat elsewhere {};
  struct stat own {};
  ASSERT_EQ(::stat((directory.path() / "elsewhere").c_str(), &elsewhere), 0);
  ASSERT_EQ(::stat((state / "own").c_str(), &own), 0);
  EXPECT_EQ(elsewhere.st_uid, 0U);
  EXPECT_EQ(own.st_uid, 4321U);
  EXPECT_TRUE(log.holds("is also another name's (a hard link)"));
}

TEST(StateTree, hasAnEnd) {
  const TempDir directory = TempDir::create("/tmp", "state-owner-");
  fs::path deep = directory.path();
  for (int i = 0; i < 70; ++i) deep /= "d";
  fs::create_directories(deep);
  EXPECT_THROW((void)StateTree(directory.path().string()).of_others(::geteuid()), Error);
}

}  // namespace
}  // namespace hearth::pxe
