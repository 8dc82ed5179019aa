#include "agent/deploy/boot/install_grub.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent::deploy {
namespace {

struct Tree {
  Tree() {
    for (const char* program : {"grub-install", "grub-mkconfig", "grub2-install", "grub2-mkconfig"})
      runner.on(program, 0);
  }
  void put(const std::string& file) {
    const fs::path path = directory.path() / file;
    RealFileSystem().make_directories(path.parent_path(), 0755);
    RealFileSystem().write(path, "", {});
  }
  std::string run(const GrubWish& wish) { return run_grub(directory.path().string(), wish, RealFileSystem(), runner); }
  [[nodiscard]] std::string ran() const {
    std::string text;
    for (const Command& command : runner.ran) {
      EXPECT_EQ(command.root, directory.path()) << "within the image";
      EXPECT_TRUE(command.confined) << "without network and token";
      text += join(command.argv, " ") + "\n";
    }
    return text;
  }

  TempDir directory = TempDir::create("/tmp", "grub.");
  fakes::ScriptedRunner runner;
};

const GrubWish k_bios{.disk = "/dev/sda", .root = "/dev/sda2", .root_type = "ext4", .esp = "", .esp_uuid = ""};
const GrubWish k_uefi{
    .disk = "/dev/sda", .root = "/dev/sda2", .root_type = "ext4", .esp = "/dev/sda1", .esp_uuid = "AB-CD"};

TEST(InstallGrub, ByBiosItGoesOntoTheDiskWithAConfigurationInTheImage) {
  Tree tree;
  tree.put("usr/sbin/grub-install");
  tree.put("usr/sbin/grub-mkconfig");
  EXPECT_EQ(tree.run(k_bios), "GRUB is installed on /dev/sda");
  EXPECT_EQ(tree.ran(),
            "/usr/sbin/grub-install --target=i386-pc /dev/sda\n/usr/sbin/grub-mkconfig -o /boot/grub/grub.cfg\n");
}

TEST(InstallGrub, ByUefiItGoesToTheUsualPlaceAndToTheRemovableOne) {
  Tree tree;
  tree.put("sbin/grub2-install");
  tree.put("sbin/grub2-mkconfig");
  EXPECT_EQ(tree.run(k_uefi), "GRUB is installed on /dev/sda1");
  EXPECT_EQ(tree.ran(),
            "/sbin/grub2-install --target=x86_64-efi --efi-directory=/boot/efi --no-nvram\n"
            "/sbin/grub2-install --target=x86_64-efi --efi-directory=/boot/efi --no-nvram --removable\n"
            "/sbin/grub2-mkconfig -o /boot/grub2/grub.cfg\n");
}

TEST(InstallGrub, ALoaderThatTheImageBroughtStays) {
  Tree tree;
  tree.put("usr/sbin/grub-install");
  tree.put("usr/sbin/grub-mkconfig");
  tree.put("boot/efi/EFI/BOOT/BOOTX64.EFI");
  EXPECT_EQ(tree.run(k_uefi), "the image's own loader is on the EFI system partition");
  EXPECT_EQ(tree.ran(), "/usr/sbin/grub-mkconfig -o /boot/grub/grub.cfg\n");
}

TEST(InstallGrub, AnImageWithoutGrubIsRefusedAndAFailureIsToldWithWhatGrubSaid) {
  Tree tree;
  EXPECT_THROW(tree.run(k_bios), Error);
  tree.put("usr/sbin/grub-install");
  tree.runner.on("grub-install", [](const Command&) { return CommandResult{Exited{1}, "", "no such device"}; });
  try {
    tree.run(k_bios);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.story()).find("no such device"), std::string::npos) << error.story();
  }
}

TEST(InstallGrub, FstabHasOneLineForTheEfiSystemPartition) {
  EXPECT_EQ(
      fstab_with_esp("LABEL=r / ext4 defaults 0 1\nLABEL=ESP /boot/efi vfat x 0 1\n#UUID=1 /boot/efi a\n", "AB-CD"),
      "LABEL=r / ext4 defaults 0 1\n#UUID=1 /boot/efi a\nUUID=AB-CD /boot/efi vfat umask=0077,nofail 0 1\n");
  EXPECT_EQ(fstab_with_esp("", "AB-CD"), "UUID=AB-CD /boot/efi vfat umask=0077,nofail 0 1\n");
}

}  // namespace
}  // namespace hearth::agent::deploy
