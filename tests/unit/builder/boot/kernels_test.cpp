#include "builder/boot/kernels.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

class KernelsTest : public testing::Test {
 protected:
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "kernels-");
  fs::path tree_ = work_.path();
  RealFileSystem files_;
  DiskLayout whole_{.file_systems = {{.type = "ext4", .mount_point = "/"}}};
  DiskLayout separate_{
      .file_systems = {{.type = "ext4", .mount_point = "/"}, {.type = "ext4", .mount_point = "/boot"}}};

  void SetUp() override {
    files_.make_directories(tree_ / "boot", 0755);
    files_.make_directories(tree_ / "etc", 0755);
    for (const char* version : {"6.1.9", "6.1.10"}) {
      files_.write(tree_ / "boot" / (std::string("vmlinuz-") + version), "k", {});
      files_.write(tree_ / "boot" / (std::string("initrd.img-") + version), "r", {});
    }
  }
  void make_links() {
    fs::create_symlink("boot/vmlinuz-6.1.10", tree_ / "vmlinuz");
    fs::create_symlink("boot/initrd.img-6.1.10", tree_ / "initrd.img");
  }
};

TEST_F(KernelsTest, LinksInTheRootAreNamedAndTheirOldOnesToo) {
  make_links();
  EXPECT_EQ(find_kernels(tree_, whole_),
            (BootKernels{{"/vmlinuz", "/initrd.img"}, KernelEntry{"/vmlinuz.old", "/initrd.img.old"}}));
}

TEST_F(KernelsTest, WithoutLinksTheNewestVersionIsNamed) {
  EXPECT_EQ(find_kernels(tree_, whole_), (BootKernels{{"/boot/vmlinuz-6.1.10", "/boot/initrd.img-6.1.10"},
                                                      KernelEntry{"/boot/vmlinuz-6.1.9", "/boot/initrd.img-6.1.9"}}));
}

TEST_F(KernelsTest, ForABootFileSystemOfItsOwnTheLinksMoveThere) {
  make_links();
  move_kernel_links(tree_, separate_, 1);
  EXPECT_EQ(fs::read_symlink(tree_ / "boot/vmlinuz"), "vmlinuz-6.1.10");
  EXPECT_FALSE(fs::exists(fs::symlink_status(tree_ / "vmlinuz")));
  EXPECT_EQ(read_file(tree_ / "etc/kernel-img.conf"), "link_in_boot = yes\n");
  EXPECT_EQ(find_kernels(tree_, separate_).current, (KernelEntry{"/boot/vmlinuz", "/boot/initrd.img"}));
}

TEST_F(KernelsTest, WithBootOnTheRootFileSystemTheLinksStay) {
  make_links();
  move_kernel_links(tree_, whole_, 1);
  EXPECT_TRUE(fs::exists(tree_ / "vmlinuz"));
  EXPECT_FALSE(fs::exists(tree_ / "etc/kernel-img.conf"));
}

TEST_F(KernelsTest, FatHoldsNoLinksSoFilesAreNamed) {
  make_links();
  separate_.file_systems[1].type = "vfat";
  move_kernel_links(tree_, separate_, 1);
  EXPECT_EQ(find_kernels(tree_, separate_).current.kernel, "/boot/vmlinuz-6.1.10");
}

TEST_F(KernelsTest, ATreeWithoutKernelIsAnError) {
  fs::remove_all(tree_ / "boot");
  EXPECT_THROW((void)find_kernels(tree_, whole_), Error);
}

TEST(VersionTest, NumbersCompareAsNumbers) {
  EXPECT_TRUE(version_less("6.1.9", "6.1.10"));
  EXPECT_TRUE(version_less("6.1.0-9-amd64", "6.1.0-49-amd64"));
  EXPECT_FALSE(version_less("6.10", "6.9"));
}

}  // namespace
}  // namespace hearth::builder
