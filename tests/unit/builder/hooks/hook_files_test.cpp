#include "builder/hooks/hook_files.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HookFilesTest : public testing::Test {
 protected:
  HookFilesTest() {
    files_.make_directories(written_, 0755);
    files_.make_directories(real_ / "web.d", 0755);
  }
  [[nodiscard]] std::vector<std::string> take() const { return take_hook_files(written_, real_ / "web", outputs_); }

  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path written_ = dir_.path() / "written";
  fs::path real_ = dir_.path() / "real";
  std::vector<fs::path> outputs_ = {real_ / "web.tar"};
  RealFileSystem files_;
};

TEST_F(HookFilesTest, WhatIsTheImagesIsBrought) {
  files_.write(written_ / "web.initramfs", "new", {.mode = 04755});
  files_.write(written_ / "web-boot.iso", "iso", {});
  files_.make_directories(written_ / "web.d/dib-manifests", 0700);
  files_.write(written_ / "web.d/dib-manifests/dpkg", "list", {});
  files_.write(real_ / "web.initramfs", "of last time, and longer", {});
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(read_file(real_ / "web.initramfs"), "new");
  EXPECT_EQ(files_.status(real_ / "web.initramfs")->mode, 0755U) << "a set-uid bit came along";
  EXPECT_EQ(read_file(real_ / "web-boot.iso"), "iso");
  EXPECT_EQ(read_file(real_ / "web.d/dib-manifests/dpkg"), "list");
  EXPECT_EQ(files_.status(real_ / "web.d/dib-manifests")->mode, 0700U);
}

TEST_F(HookFilesTest, WhatIsNotTheImagesStaysAway) {
  files_.make_directories(real_ / "web-prod.d", 0755);
  for (const char* name : {"Makefile", "webserver.tar", "web-prod.tar", "web.tar"})
    files_.write(written_ / name, "x", {});
  files_.make_directories(written_ / "web-prod.d", 0755);
  files_.write(written_ / "web-prod.d/output.json", "x", {});
  files_.make_directories(written_ / "web-next.d", 0755);
  files_.make_directories(written_ / "web.d", 0755);
  files_.write(written_ / "web.d/steps.json", "x", {});
  files_.write(written_ / "web.log", "x", {});
  files_.write(real_ / "web.log", "of tee", {});
  EXPECT_EQ(take().size(), 8U);
  EXPECT_THAT(files_.list(real_), ElementsAre("web-prod.d", "web.d", "web.log"));
  EXPECT_THAT(files_.list(real_ / "web.d"), IsEmpty());
  EXPECT_THAT(files_.list(real_ / "web-prod.d"), IsEmpty());
  EXPECT_EQ(read_file(real_ / "web.log"), "of tee");
}

TEST_F(HookFilesTest, LinksAndPipesLeadNowhere) {
  files_.write(dir_.path() / "victim", "untouched", {});
  fs::create_symlink(dir_.path() / "victim", written_ / "web.initrd");
  ASSERT_EQ(::mkfifo((written_ / "web.pipe").c_str(), 0600), 0);
  fs::create_symlink(dir_.path() / "victim", real_ / "web.vmlinuz");  // an earlier one's
  files_.write(written_ / "web.vmlinuz", "kernel", {});
  EXPECT_THAT(take(), ElementsAre(AllOf(HasSubstr("web.initrd"), HasSubstr("no file")), HasSubstr("web.pipe")));
  EXPECT_EQ(read_file(dir_.path() / "victim"), "untouched");
  EXPECT_FALSE(fs::is_symlink(fs::symlink_status(real_ / "web.vmlinuz")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(real_ / "web.initrd")));
}

TEST_F(HookFilesTest, WhatHooksTookAwayIsTakenAway) {
  files_.write(real_ / "web.old", "x", {});
  files_.make_directories(real_ / "web.d/manifests", 0755);
  files_.write(real_ / "web.d/manifests/of-last-time", "x", {});
  files_.write(real_ / "web.d/steps.json", "{}", {});
  files_.make_directories(written_ / "web.d/manifests", 0755);
  files_.write(written_ / "web.d/manifests/new", "x", {});
  ASSERT_EQ(::mknod((written_ / "web.old").c_str(), S_IFCHR, 0), 0);
  ASSERT_EQ(::setxattr((written_ / "web.d/manifests").c_str(), "user.overlay.opaque", "y", 1, 0), 0);
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_FALSE(fs::exists(real_ / "web.old"));
  EXPECT_THAT(files_.list(real_ / "web.d/manifests"), ElementsAre("new"));
  EXPECT_EQ(read_file(real_ / "web.d/steps.json"), "{}");
}

}  // namespace
}  // namespace hearth::builder
