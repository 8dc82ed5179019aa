#include "builder/boot/efi_loaders.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EfiLoadersTest : public testing::Test {
 protected:
  EfiLoadersTest() {
    for (const char* path :
         {"boot/vmlinuz-6.1", "boot/initrd.img-6.1", "shim/shimx64.efi.signed", "shim/mmx64.efi.signed",
          "grub/x86_64-efi-signed/grubx64.efi.signed", "sd/systemd-bootx64.efi"}) {
      files_.make_directories((work_.path() / path).parent_path(), 0755);
      files_.write(work_.path() / path, cat("<", fs::path(path).filename().string(), ">"), {});
    }
    files_.make_directories(work_.path() / "etc", 0755);
    files_.write(work_.path() / "etc/os-release", "PRETTY_NAME=\"Some Linux 1\"\nID=some\n", {});
    layout_.file_systems = {{.name = "root", .type = "ext4", .uuid = "root-id", .mount_point = "/"},
                            {.name = "esp", .type = "vfat", .uuid = "AB-CD", .mount_point = "/boot/efi"}};
  }
  std::string bytes(const std::vector<BootFile>& files, const std::string& path) {
    for (const BootFile& file : files) {
      if (file.path == path) return file.bytes;
    }
    return cat("there is no ", path);
  }
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "efi-");
  RealFileSystem files_;
  DiskLayout layout_;
  BootOptions options_{.timeout = 7, .grub_files = "/grub", .shim_files = "/shim", .systemd_files = "/sd"};
};

TEST_F(EfiLoadersTest, SystemdBootGetsAnEntryWithTheKernelBesideIt) {
  options_.loader = LoaderKind::systemd_boot;
  const auto made = efi_loader_files(work_.path(), layout_, options_);
  EXPECT_EQ(bytes(made, "/EFI/BOOT/BOOTX64.EFI"), "<systemd-bootx64.efi>");
  EXPECT_EQ(bytes(made, "/loader/loader.conf"), "timeout 7\n");
  EXPECT_EQ(bytes(made, "/some/6.1/linux"), "<vmlinuz-6.1>");
  EXPECT_EQ(bytes(made, "/some/6.1/initrd.img"), "<initrd.img-6.1>");
  EXPECT_THAT(bytes(made, "/loader/entries/some-6.1.conf"),
              AllOf(HasSubstr("title Some Linux 1\n"), HasSubstr("options root=UUID=root-id ro console=tty0"),
                    HasSubstr("linux /some/6.1/linux\n"), HasSubstr("initrd /some/6.1/initrd.img\n")));
}

TEST_F(EfiLoadersTest, TheSignedChainIsShimThenGrubThatReadsThePointerToItsMenu) {
  options_.loader = LoaderKind::signed_grub;
  const auto made = efi_loader_files(work_.path(), layout_, options_);
  EXPECT_EQ(bytes(made, "/EFI/BOOT/BOOTX64.EFI"), "<shimx64.efi.signed>");
  EXPECT_EQ(bytes(made, "/EFI/BOOT/grubx64.efi"), "<grubx64.efi.signed>");
  EXPECT_EQ(bytes(made, "/EFI/BOOT/mmx64.efi"), "<mmx64.efi.signed>");
  EXPECT_EQ(bytes(made, "/EFI/debian/grub.cfg"),
            "search.fs_uuid root-id root\nset prefix=($root)/boot/grub\nconfigfile $prefix/grub.cfg\n");
}

TEST_F(EfiLoadersTest, AMissingLoaderNamesItsPackage) {
  options_.loader = LoaderKind::signed_grub;
  options_.shim_files = "/nowhere";
  try {
    (void)efi_loader_files(work_.path(), layout_, options_);
    FAIL() << "made";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), AllOf(HasSubstr("/nowhere/shimx64.efi.signed"), HasSubstr("shim-signed")));
  }
}

}  // namespace
}  // namespace hearth::builder
