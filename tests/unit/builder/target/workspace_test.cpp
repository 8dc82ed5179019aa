#include "builder/target/workspace.hpp"

#include <gmock/gmock.h>

#include <csignal>

#include "tests/unit/builder/element_tree.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WorkspaceTest : public testing::Test {
 protected:
  void SetUp() override { HEARTH_NEEDS_NAMESPACES(); }
  [[nodiscard]] Names left() const { return RealFileSystem().list(parent.path()); }
  TempDir parent = TempDir::create("/tmp", "hearth-test-");
};

/// Up to ten seconds for the janitor.
bool becomes_empty(const fs::path& directory) {
  SystemClock clock;
  for (int i = 0; i < 200; ++i) {
    if (RealFileSystem().list(directory).empty()) return true;
    clock.sleep(std::chrono::milliseconds(50));
  }
  return false;
}

/// Builds (as a build would) until it is killed; says so through the pipe.
int build_for_ever(const fs::path& parent, const Pipe& pipe) {
  const Workspace workspace = Workspace::create(parent);
  fs::create_directories(workspace.path() / "build/mnt/etc");
  RealFileSystem().write(workspace.path() / "build/mnt/etc/passwd", "root", {});
  write_all(pipe.write, "x", "the pipe");
  while (true) ::pause();
}

void wait_for_byte(const Fd& read_end) {
  char byte = 0;
  ASSERT_EQ(::read(read_end.get(), &byte, 1), 1);
}

TEST_F(WorkspaceTest, LivesAsLongAsItsObject) {
  fs::path path;
  {
    const Workspace workspace = Workspace::create(parent.path());
    path = workspace.path();
    EXPECT_EQ(path.parent_path(), parent.path());
    EXPECT_EQ(path.filename().string().compare(0, 13, "hearth-build."), 0);
    RealFileSystem().write(path / "file", "", {});
  }
  EXPECT_THAT(left(), IsEmpty()) << "neither the directory nor its lock stays";
}

TEST_F(WorkspaceTest, MovingItDoesNotEndIt) {
  Workspace first = Workspace::create(parent.path());
  const fs::path path = first.path();
  {
    const Workspace second = std::move(first);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(WorkspaceTest, DisappearsWhenTheBuildIsKilled) {
  Pipe pipe = Pipe::create();
  const pid_t build = start_child([&] { return build_for_ever(parent.path(), pipe); });
  wait_for_byte(pipe.read);
  EXPECT_FALSE(left().empty());
  ::kill(build, SIGKILL);
  EXPECT_EQ(end_of_child(build), 128 + SIGKILL);
  EXPECT_TRUE(becomes_empty(parent.path()));
}

TEST_F(WorkspaceTest, ItsJanitorOutlivesCtrlC) {
  Pipe pipe = Pipe::create();
  const pid_t build = start_child([&] {
    ::setpgid(0, 0);
    return build_for_ever(parent.path(), pipe);
  });
  wait_for_byte(pipe.read);
  ::kill(-build, SIGINT);
  EXPECT_EQ(end_of_child(build), 128 + SIGINT);
  EXPECT_TRUE(becomes_empty(parent.path()));
}

TEST_F(WorkspaceTest, AnOrdinaryUsersFilesOfSubIdsGoToo) {
  if (const std::string why = no_ordinary_user_because(); !why.empty()) GTEST_SKIP() << why;
  ::chmod(parent.path().c_str(), 0777);
  as_ordinary_user([&] {
    const Workspace workspace = Workspace::create(parent.path());
    in_namespace([&] {
      fs::create_directories(workspace.path() / "mnt/var");
      RealFileSystem().write(workspace.path() / "mnt/var/file", "", {.uid = 1000, .gid = 1000});
      EXPECT_EQ(::chown((workspace.path() / "mnt/var").c_str(), 1000, 1000), 0);
      EXPECT_EQ(::chmod((workspace.path() / "mnt/var").c_str(), 0700), 0);
    });
  });
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(WorkspaceTest, TheNextBuildSweepsWhatAKilledJanitorLeft) {
  fs::create_directories(parent.path() / "hearth-build.dead/build");
  RealFileSystem().write(parent.path() / "hearth-build.dead.lock", "", {});
  fs::create_directories(parent.path() / "hearth-build.unlocked");
  fs::create_directories(parent.path() / "other");
  { const Workspace workspace = Workspace::create(parent.path()); }
  EXPECT_THAT(left(), ElementsAre("other"));
}

TEST_F(WorkspaceTest, ARunningBuildsDirectoryIsNotSwept) {
  Pipe pipe = Pipe::create();
  const pid_t build = start_child([&] { return build_for_ever(parent.path(), pipe); });
  wait_for_byte(pipe.read);
  const Names before = left();
  { const Workspace other = Workspace::create(parent.path()); }
  EXPECT_EQ(left(), before);
  ::kill(build, SIGKILL);
  (void)end_of_child(build);
  EXPECT_TRUE(becomes_empty(parent.path()));
}

TEST_F(WorkspaceTest, AMissingParentIsToldByName) {
  EXPECT_NE(story_of([&] { return Workspace::create(parent.path() / "missing"); }).find("missing"), std::string::npos);
}

}  // namespace
}  // namespace hearth::builder
