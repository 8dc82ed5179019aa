// The peer is unsquashfs.
#include "builder/output/squashfs.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  write_squashfs(tree_, target_, k_epoch, runner_);
  const std::string shown = tool({"unsquashfs", "-ll", target_.string()});
  EXPECT_THAT(shown, HasSubstr("squashfs-root/bin/tool"));
  EXPECT_THAT(shown, HasSubstr("squashfs-root/dev"));
  EXPECT_THAT(shown, Not(HasSubstr("leftover")));
  EXPECT_EQ(fs::read_symlink(work_.path() / "image.squashfs"), "image.squash");
}

TEST_F(SquashfsTest, EqualTreesGiveEqualBytes) {
  write_squashfs(tree_, target_, k_epoch, runner_);
  const std::string first = read_file(target_);
  write_squashfs(tree_, target_, k_epoch, runner_);
  EXPECT_EQ(read_file(target_), first);
}

}  // namespace
}  // namespace hearth::builder
