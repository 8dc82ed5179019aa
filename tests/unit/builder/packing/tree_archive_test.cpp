// The peer is GNU tar.
#include "builder/packing/tree_archive.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

class TreeArchiveTest : public DiskFixture {
 protected:
  fs::path tree_ = work_.path() / "tree";
  fs::path target_ = work_.path() / "image.tar";

  void SetUp() override {
    make_tree(tree_);
    for (const char* directory : {"dev", "proc", "sys"}) files_.make_directories(tree_ / directory, 0755);
    files_.write(tree_ / "dev/leftover", "", {});
    files_.write(tree_ / "etc/Großes_Zertifikat", "", {});
  }
  std::string listing(const fs::path& archive) { return tool({"tar", "--numeric-owner", "-tvf", archive.string()}); }
};

TEST_F(TreeArchiveTest, GnuTarSeesOwnersModesLinksAndNames) {
  if (!is_root()) GTEST_SKIP() << "needs root to give files away";
  write_tree_archive(tree_, target_, Compression::none, k_epoch);
  const std::string shown = listing(target_);
  EXPECT_THAT(shown, HasSubstr("-rw-r----- 33/42 "));
  EXPECT_THAT(shown, HasSubstr("./bin/twin link to ./bin/tool"));
  EXPECT_THAT(shown, HasSubstr("./etc/link -> ../bin/tool"));
  EXPECT_THAT(tool({"tar", "--quoting-style=literal", "-tf", target_.string()}),
              HasSubstr("./etc/Großes_Zertifikat\n"));
  EXPECT_THAT(shown, HasSubstr("exit code 0"));
}

TEST_F(TreeArchiveTest, DevProcAndSysAreThereButEmpty) {
  write_tree_archive(tree_, target_, Compression::none, k_epoch);
  const std::string shown = listing(target_);
  for (const char* name : {"./dev/\n", "./proc/\n", "./sys/\n"}) EXPECT_THAT(shown, HasSubstr(name));
  EXPECT_THAT(shown, Not(HasSubstr("leftover")));
}

TEST_F(TreeArchiveTest, EqualTreesGiveEqualBytes) {
  const fs::path other = work_.path() / "other";
  run_checked(runner_, {.argv = {"cp", "-a", tree_.string(), other.string()}});
  set_times(tree_ / "etc/config", k_epoch + 50);  // later than the epoch counts as the epoch
  for (const Compression compression : {Compression::none, Compression::gzip}) {
    write_tree_archive(tree_, target_, compression, k_epoch);
    write_tree_archive(other, work_.path() / "other.tar", compression, k_epoch);
    EXPECT_EQ(read_file(target_), read_file(work_.path() / "other.tar"));
  }
}

TEST_F(TreeArchiveTest, ContentsAndExtendedAttributesComeBack) {
  if (::setxattr((tree_ / "bin/tool").c_str(), "user.note", "hello", 5, 0) != 0)
    GTEST_SKIP() << "no user attributes here";
  write_tree_archive(tree_, target_, Compression::gzip, k_epoch);
  const fs::path back = work_.path() / "back";
  files_.make_directories(back, 0755);
  EXPECT_THAT(tool({"tar", "--xattrs", "--xattrs-include=*", "-xzf", target_.string(), "-C", back.string()}),
              HasSubstr("exit code 0"));
  EXPECT_EQ(read_file(back / "bin/tool"), read_file(tree_ / "bin/tool"));
  std::string value(5, '\0');
  EXPECT_EQ(::getxattr((back / "bin/tool").c_str(), "user.note", value.data(), value.size()), 5);
  EXPECT_EQ(value, "hello");
}

TEST_F(TreeArchiveTest, HolesStayHolesAndTheArchiveDoesNotDependOnWhereTheyAre) {
  write_tree_archive(tree_, target_, Compression::none, k_epoch);
  EXPECT_LT(fs::file_size(target_), 1 * k_mib) << "3 MiB of nothing take no room";
  const fs::path back = work_.path() / "back";
  files_.make_directories(back, 0755);
  EXPECT_THAT(tool({"tar", "-xf", target_.string(), "-C", back.string()}), HasSubstr("exit code 0"));
  EXPECT_EQ(read_file(back / "home/sparse"), read_file(tree_ / "home/sparse"));
  struct stat status {};
  ASSERT_EQ(::stat((back / "home/sparse").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 64 * 1024);
}

}  // namespace
}  // namespace hearth::builder
