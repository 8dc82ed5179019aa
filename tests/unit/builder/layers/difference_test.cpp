#include "builder/layers/difference.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/sys/file.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;

class Trees {
 public:
  explicit Trees(const fs::path& root) : base(root / "base"), tree(root / "tree") {
    for (const fs::path& top : {base, tree}) {
      files.make_directories(top / "hooks/empty", 0755);
      files.make_directories(top / "mnt", 0755);
      for (const char* name : {"hooks/same", "hooks/changed", "hooks/mode", "hooks/gone", "hooks/becomes-directory"}) {
        files.write(top / name, "laid out", {});
      }
      fs::create_symlink("same", top / "hooks/link");
      fs::create_symlink("same", top / "hooks/turned");
    }
  }
  RealFileSystem files;
  fs::path base;
  fs::path tree;
};

void work_in(const Trees& trees) {
  RealFileSystem files;
  files.write(trees.tree / "hooks/changed", "by a hook", {});
  files.write(trees.tree / "mnt/made", "by a hook", {});
  ::chmod((trees.tree / "hooks/mode").c_str(), 0700);
  fs::remove(trees.tree / "hooks/gone");
  fs::remove(trees.tree / "hooks/becomes-directory");
  fs::create_directory(trees.tree / "hooks/becomes-directory");
  fs::remove(trees.tree / "hooks/turned");
  fs::create_symlink("changed", trees.tree / "hooks/turned");
}

bool is_whiteout(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(0, 0);
}

TEST(LeaveDifference, LeavesWhatChangedAndMarksWhatIsGone) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([] {
    ASSERT_EQ(::mount("tmpfs", "/mnt", "tmpfs", 0, ""), 0);
    const Trees trees("/mnt");
    work_in(trees);
    leave_difference(trees.base, trees.tree);
    EXPECT_THAT(trees.files.list(trees.tree), ElementsAre("hooks", "mnt"));
    EXPECT_THAT(trees.files.list(trees.tree / "hooks"),
                ElementsAre("becomes-directory", "changed", "gone", "mode", "turned"));
    EXPECT_TRUE(is_whiteout(trees.tree / "hooks/gone"));
    EXPECT_TRUE(fs::is_directory(trees.tree / "hooks/becomes-directory"));
    EXPECT_EQ(read_file(trees.tree / "mnt/made"), "by a hook");
  });
}

TEST(LeaveDifference, LeavesNothingOfAnUntouchedCopy) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  const Trees trees(dir.path());
  leave_difference(trees.base, trees.tree);
  EXPECT_THAT(trees.files.list(trees.tree), ElementsAre());
}

}  // namespace
}  // namespace hearth::builder
