#include "builder/hooks/copied_hooks.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>

#include "base/sys/process.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;

class CopiedHooksTest : public testing::Test {
 protected:
  CopiedHooksTest() { tree.add("os", "", "operating-system"); }
  std::string merged(const Names& requested, const std::string& path) {
    fs::create_directories(dir.path() / "hooks");
    copy_hooks(HookTree::merge(files, tree.close(requested)), runner, dir.path() / "hooks");
    return read_file(dir.path() / "hooks" / path);
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  SystemClock clock;
  RealRunner runner{clock};
};

TEST_F(CopiedHooksTest, KeepsModesAndLinks) {
  tree.hook("os", "install.d/10-x", "hello").file("os", "install.d/data", "");
  fs::create_symlink("10-x", tree.path("os/install.d/20-link"));
  EXPECT_EQ(merged({"os"}, "install.d/10-x"), "hello");
  EXPECT_EQ(files.status(dir.path() / "hooks/install.d/10-x")->mode, 0755U);
  EXPECT_EQ(files.status(dir.path() / "hooks/install.d/data")->mode, 0644U);
  EXPECT_EQ(fs::read_symlink(dir.path() / "hooks/install.d/20-link"), "10-x");
}

/// Says how often cp was needed.
class CountingRunner final : public CommandRunner {
 public:
  explicit CountingRunner(CommandRunner& runner) : runner_(runner) {}
  CommandResult run(const Command& command) override {
    ++runs;
    return runner_.run(command);
  }
  int runs = 0;

 private:
  CommandRunner& runner_;
};

struct stat look_at(const fs::path& path) {
  struct stat look {};
  EXPECT_EQ(::lstat(path.c_str(), &look), 0) << path;
  return look;
}

TEST_F(CopiedHooksTest, PlainFilesNeedNoProgramAndKeepOwnerModeAndTimes) {
  tree.hook("os", "install.d/10-x", "hello")
      .file("os", "install.d/data", std::string(3'000'000, 'x'))
      .file("os", "top", "t");
  const fs::path hook = tree.path("os/install.d/10-x");
  ASSERT_EQ(::geteuid() == 0 ? ::lchown(hook.c_str(), 5, 6) : 0, 0);
  ASSERT_EQ(::chmod(hook.c_str(), 06751), 0);
  const std::array<timespec, 2> times = {timespec{1'000'000'000, 7}, timespec{1'100'000'000, 123'456'789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, hook.c_str(), times.data(), 0), 0);
  CountingRunner counting(runner);
  fs::create_directories(dir.path() / "hooks");
  copy_hooks(HookTree::merge(files, tree.close({"os"})), counting, dir.path() / "hooks");
  EXPECT_EQ(counting.runs, 0);
  const struct stat copy = look_at(dir.path() / "hooks/install.d/10-x");
  EXPECT_EQ(copy.st_mode, look_at(hook).st_mode);
  EXPECT_EQ(copy.st_uid, look_at(hook).st_uid);
  EXPECT_EQ(copy.st_gid, look_at(hook).st_gid);
  EXPECT_EQ(copy.st_atim.tv_sec, 1'000'000'000);
  EXPECT_EQ(copy.st_mtim.tv_sec, 1'100'000'000);
  EXPECT_EQ(copy.st_mtim.tv_nsec, 123'456'789);
  EXPECT_EQ(read_file(dir.path() / "hooks/install.d/10-x"), "hello");
  EXPECT_TRUE(read_file(dir.path() / "hooks/install.d/data") == std::string(3'000'000, 'x'));
  EXPECT_EQ(read_file(dir.path() / "hooks/top"), "t");
}

TEST_F(CopiedHooksTest, HardLinksAreKept) {
  tree.hook("os", "install.d/10-x", "hello");
  fs::create_hard_link(tree.path("os/install.d/10-x"), tree.path("os/install.d/20-twin"));
  (void)merged({"os"}, "install.d/10-x");
  const fs::path copies = dir.path() / "hooks/install.d";
  EXPECT_EQ(look_at(copies / "10-x").st_ino, look_at(copies / "20-twin").st_ino);
}

TEST_F(CopiedHooksTest, AttributesAreKept) {
  tree.hook("os", "install.d/30-attribute", "with");
  // A tmpfs of older kernels has none of users, only those of root.
  const char* name = nullptr;
  for (const char* each : {"user.origin", "trusted.origin"}) {
    if (::setxattr(tree.path("os/install.d/30-attribute").c_str(), each, "here", 4, 0) == 0) name = each;
    if (name != nullptr) break;
  }
  if (name == nullptr) GTEST_SKIP() << "needs root, where " << dir.path() << " has no attributes of users";
  (void)merged({"os"}, "install.d/30-attribute");
  const fs::path copy = dir.path() / "hooks/install.d/30-attribute";
  EXPECT_EQ(read_file(copy), "with");
  std::array<char, 8> value{};
  EXPECT_EQ(::getxattr(copy.c_str(), name, value.data(), value.size()), 4) << name;
}

TEST_F(CopiedHooksTest, InMergedDirectoriesTheElementThatNeedsAnotherWins) {
  tree.add("a", "z").add("z", "m").add("m");
  for (const char* name : {"a", "m", "z"}) {
    tree.file(name, "static/etc/motd", name).file(name, cat("static/etc/", name), "");
  }
  EXPECT_EQ(merged({"a", "os"}, "static/etc/motd"), "a");
  EXPECT_THAT(files.list(dir.path() / "hooks/static/etc"), ElementsAre("a", "m", "motd", "z"));
}

TEST_F(CopiedHooksTest, FilesAtTheTopOverwriteInTheOrderOfTheElements) {
  tree.add("a", "z").add("z").file("a", "source-repository-x", "a").file("z", "source-repository-x", "z");
  tree.file("a", "cache.pyc", "");
  EXPECT_EQ(merged({"a", "os"}, "source-repository-x"), "a");
  EXPECT_FALSE(fs::exists(dir.path() / "hooks/cache.pyc"));
}

}  // namespace
}  // namespace hearth::builder
