// The peer is unsquashfs.
#include "builder/packing/squashfs.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

const ReadOnlyImage k_image = {.epoch = k_epoch, .checksums = {HashKind::sha256}};

class SquashfsTest : public DiskFixture {
 protected:
  void SetUp() override {
    if (!find_program("mksquashfs", current_environment())) GTEST_SKIP() << "squashfs-tools is not installed";
    make_tree(tree_);
    files_.make_directories(tree_ / "dev", 0755);
    files_.write(tree_ / "dev/leftover", "", {});
  }
  fs::path tree_ = work_.path() / "tree";
  fs::path target_ = work_.path() / "image.squash";
};

TEST_F(SquashfsTest, TheTreeIsInItWithoutTheContentsOfDev) {
  write_squashfs(tree_, target_, k_image, runner_);
  const std::string shown = tool({"unsquashfs", "-ll", target_.string()});
  EXPECT_THAT(shown, HasSubstr("squashfs-root/bin/tool"));
  EXPECT_THAT(shown, HasSubstr("squashfs-root/dev"));
  EXPECT_THAT(shown, Not(HasSubstr("leftover")));
  EXPECT_EQ(fs::read_symlink(work_.path() / "image.squashfs"), "image.squash");
}

TEST_F(SquashfsTest, EqualTreesGiveEqualBytes) {
  write_squashfs(tree_, target_, k_image, runner_);
  const std::string first = read_file(target_);
  write_squashfs(tree_, target_, k_image, runner_);
  EXPECT_EQ(read_file(target_), first);
}

TEST_F(SquashfsTest, TheCallersSourceDateEpochIsNoTrouble) {
  ::setenv("SOURCE_DATE_EPOCH", "1000", 1);
  EXPECT_NO_THROW(write_squashfs(tree_, target_, k_image, runner_));
  ::unsetenv("SOURCE_DATE_EPOCH");
}

TEST_F(SquashfsTest, ErofsHoldsTheSameAndIsSoundToItsOwnChecker) {
  if (!find_program("fsck.erofs", current_environment())) GTEST_SKIP() << "erofs-utils is not installed";
  write_erofs(tree_, target_, k_image, runner_);
  const std::string first = read_file(target_);
  write_erofs(tree_, target_, k_image, runner_);
  EXPECT_TRUE(read_file(target_) == first);
  EXPECT_THAT(tool({"fsck.erofs", target_.string()}), HasSubstr("exit code 0"));
  EXPECT_THAT(tool({"dump.erofs", "--ls", "--path=/dev", target_.string()}), Not(HasSubstr("leftover")));
  EXPECT_THAT(tool({"dump.erofs", "--ls", "--path=/bin", target_.string()}), HasSubstr("tool"));
  EXPECT_TRUE(fs::exists(target_.string() + ".sha256"));
}

}  // namespace
}  // namespace hearth::builder
