#include "builder/boot/boot_tree.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

class BootTreeTest : public testing::Test {
 protected:
  void SetUp() override { files_.make_directories(tree_ / "boot", 0755); }
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "tree-");
  fs::path tree_ = work_.path() / "tree";
  RealFileSystem files_;
};

TEST_F(BootTreeTest, LinksLeadNowhereOnThisMachine) {
  files_.write(work_.path() / "kernel", "of the machine", {});
  fs::create_directory(work_.path() / "folder");
  fs::create_symlink((work_.path() / "kernel").string(), tree_ / "vmlinuz");
  EXPECT_THROW((void)read_kernel(tree_, {}), Error);
  fs::create_symlink((work_.path() / "kernel").string(), tree_ / "os-release");
  EXPECT_EQ(os_release_field(tree_, "ID", "linux"), "linux");
  fs::create_symlink((work_.path() / "folder").string(), tree_ / "out");
  EXPECT_THROW(write_in_tree(tree_, "/out/file", "text", 1000), Error);
  EXPECT_TRUE(files_.list(work_.path() / "folder").empty());
  fs::create_symlink("/boot", tree_ / "inside");
  write_in_tree(tree_, "/inside/file", "text", 1000);
  EXPECT_EQ(files_.read(tree_ / "boot/file"), "text");
}

TEST_F(BootTreeTest, AWrittenFileHasItsTimeAndItsDirectoriesToo) {
  write_in_tree(tree_, "/new/dir/file", "text", 1000);
  for (const char* path : {"new/dir/file", "new/dir", "new"}) {
    struct stat status {};
    ASSERT_EQ(::stat((tree_ / path).c_str(), &status), 0) << path;
    EXPECT_EQ(status.st_mtim.tv_sec, 1000) << path;
  }
}

TEST_F(BootTreeTest, TheKernelIsReadThroughTheLinksOfTheDistribution) {
  files_.write(tree_ / "boot/vmlinuz-6.1.0-9", "kernel", {});
  files_.write(tree_ / "boot/initrd.img-6.1.0-9", "ramdisk", {});
  fs::create_symlink("boot/vmlinuz-6.1.0-9", tree_ / "vmlinuz");
  fs::create_symlink("boot/initrd.img-6.1.0-9", tree_ / "initrd.img");
  const KernelBytes kernel = read_kernel(tree_, {});
  EXPECT_EQ(kernel.kernel, "kernel");
  EXPECT_EQ(kernel.initrd, "ramdisk");
  EXPECT_EQ(kernel.version, "6.1.0-9");
}

TEST_F(BootTreeTest, TheImagesOwnLoaderComesBeforeThisMachines) {
  files_.write(work_.path() / "loader", "of the machine", {});
  const fs::path path = work_.path() / "loader";
  EXPECT_EQ(read_loader_file(tree_, path, "p"), "of the machine");
  const fs::path inside = GuestPath(path.string()).in(tree_);
  files_.make_directories(inside.parent_path(), 0755);
  files_.write(inside, "of the image", {});
  EXPECT_EQ(read_loader_file(tree_, path, "p"), "of the image");
  EXPECT_THROW((void)read_loader_file(tree_, "/no/such", "package"), Error);
}

TEST_F(BootTreeTest, FieldsOfOsReleaseLoseTheirQuotes) {
  EXPECT_EQ(os_release_field(tree_, "ID", "linux"), "linux");
  files_.make_directories(tree_ / "etc", 0755);
  files_.write(tree_ / "etc/os-release", "ID=debian\nNAME=\"Debian X\"\n", {});
  EXPECT_EQ(os_release_field(tree_, "NAME", ""), "Debian X");
}

}  // namespace
}  // namespace hearth::builder
