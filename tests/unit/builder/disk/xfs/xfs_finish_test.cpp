// The judges are xfs_repair and xfs_db, which we did not write.
#include "builder/disk/xfs/xfs_finish.hpp"

#include <boost/filesystem/directory.hpp>

#include <gmock/gmock.h>

#include <set>

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t k_xfs_finish_size = 320 * k_mib;

class XfsFinishTest : public DiskFixture {
 protected:
  void SetUp() override {
    if (!find_program("mkfs.xfs", maker_environment(0))) GTEST_SKIP() << "mkfs.xfs is not installed";
  }

  /// What is special to the pass, beside what all makers are tested with. `turn` changes the order of making it.
  void make_odd_tree(const fs::path& tree, bool turn) {
    make_tree(tree);
    files_.make_directories(tree / "crowd", 01777);
    ::chmod((tree / "crowd").c_str(), 01777);
    for (int i = 0; i < 2500; ++i) {
      const int n = turn ? 2499 - i : i;
      files_.write(tree / "crowd" / cat("one of the many files in this directory, ", n), std::string(n % 5 * 1000, 'x'),
                   {});
      if (n % 100 == 0) fs::create_hard_link(tree / "bin/tool", tree / "crowd" / cat("link ", n));
    }
    fs::create_symlink("one of the many", tree / "etc/odd");
    files_.write(tree / "home/hollow", "", {});
    fs::resize_file(tree / "home/hollow", 7 * k_mib);
    for (const char* path : {"etc/config", "crowd", "etc/link", "bin"}) {
      (void)::lsetxattr((tree / path).c_str(), "user.note", "hello", 5, 0);
    }
    for (fs::recursive_directory_iterator it(tree), end; it != end; ++it) set_times(it->path(), 1'000'000'000);
    set_times(tree, 1'000'000'000);
  }

  fs::path make(const std::string& name, const fs::path& tree) {
    fs::path image = work_.path() / name;
    files_.write(image, "", {});
    fs::resize_file(image, k_xfs_finish_size);
    make_file_system(
        {.file_system = {.name = "x", .type = "xfs", .label = "x", .uuid = "11111111-2222-4333-8444-555555555555"},
         .extent = {0, k_xfs_finish_size},
         .image = image,
         .source = tree,
         .scratch = work_.path(),
         .epoch = k_epoch},
        runner_);
    return image;
  }

  std::string show(const fs::path& part, const std::string& path) {
    return tool({"xfs_db", "-f", "-r", "-c", cat("path ", path), "-c", "print", part.string()});
  }
};

TEST_F(XfsFinishTest, EqualTreesGiveEqualBytesAndASoundFileSystemThatHoldsThem) {
  make_odd_tree(work_.path() / "one", false);
  make_odd_tree(work_.path() / "two", true);
  const fs::path part = make("first", work_.path() / "one");
  const fs::path other = make("second", work_.path() / "two");
  EXPECT_THAT(tool({"cmp", part.string(), other.string()}), HasSubstr("exit code 0"));
  EXPECT_THAT(tool({"xfs_repair", "-n", "-f", part.string()}), HasSubstr("exit code 0"));
  EXPECT_THAT(show(part, "/bin/tool"),
              AllOf(HasSubstr("core.mode = 0104755"), HasSubstr("core.nlinkv2 = 27"), HasSubstr("core.size = 70000"),
                    HasSubstr("core.prealloc = 0"), HasSubstr("v3.crtime.sec = Sun Sep  9 01:46:40 2001")));
  EXPECT_THAT(show(part, "/crowd"), HasSubstr("core.mode = 041777"));
  EXPECT_THAT(show(part, "/etc/odd"), HasSubstr("u3.symlink = \"one of the many\""));
  EXPECT_THAT(show(part, "/home/hollow"), AllOf(HasSubstr("core.size = 7340032"), HasSubstr("core.nblocks = 0")));
  if (::lgetxattr((work_.path() / "one/etc/config").c_str(), "user.note", nullptr, 0) == 5) {
    EXPECT_THAT(show(part, "/etc/config"), AllOf(HasSubstr("name = \"note\""), HasSubstr("value = \"hello\"")));
  }
  const std::string listed = tool({"xfs_db", "-f", "-r", "-c", "ls /crowd", "-c", "ls /bin", part.string()});
  EXPECT_THAT(listed, HasSubstr(" one of the many files in this directory, 2499 (good)"));
  std::set<std::string> numbers;  // of all names of the tool: the first word of two in their lines
  for (const std::string& line : split_lines(listed)) {
    if (line.find(" link ") == std::string::npos && line.find(" tool ") == std::string::npos) continue;
    numbers.insert(split_words(line).at(1));
  }
  EXPECT_EQ(numbers.size(), 1U) << listed.substr(0, 2000);
  if (is_root()) {
    EXPECT_THAT(show(part, "/etc/config"),
                AllOf(HasSubstr("core.uid = 33"), HasSubstr("core.gid = 42"), HasSubstr("core.mode = 0100640")));
  }
}

TEST_F(XfsFinishTest, AnEmptyOneIsTheSameEveryTimeToo) {
  EXPECT_THAT(tool({"cmp", make("first", "").string(), make("second", "").string()}), HasSubstr("exit code 0"));
}

TEST_F(XfsFinishTest, TooSmallAPlaceIsToldWithWhatToDo) {
  files_.make_directories(work_.path() / "tree", 0755);
  for (int i = 0; i < 3; ++i) files_.write(work_.path() / "tree" / cat("noise-", i), std::string(100 * k_mib, 'n'), {});
  try {
    (void)make("image", work_.path() / "tree");
    FAIL() << "it fits";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), AllOf(HasSubstr("making the xfs file system x"), HasSubstr("larger --image-size")));
  }
}

}  // namespace
}  // namespace hearth::builder
