#include "builder/inspect/image_facts.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ImageFactsTest, TheSystemTellsWhatItIs) {
  FileTree tree;
  tree.texts["etc/os-release"] = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
  tree.texts["etc/hostname"] = "web\n";
  tree.texts["var/lib/dpkg/status"] = "Package: a\nStatus: install ok installed\nVersion: 1\nArchitecture: amd64\n\n";
  tree.texts["etc/dib-manifests/dib-element-manifest-x"] = "vm base\n";
  tree.entries["boot/vmlinuz-6.1.0"] = TreeEntry{.kind = 'f', .size = 10};
  tree.entries["boot/grub/grub.cfg"] = TreeEntry{.kind = 'f'};
  tree.entries["boot/efi/EFI/BOOT/BOOTX64.EFI"] = TreeEntry{.kind = 'f'};
  const ImageFacts facts = image_facts(tree, {.boot_code = true});
  EXPECT_EQ(facts.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(facts.host_name, "web");
  EXPECT_EQ(facts.packages, 1U);
  EXPECT_THAT(facts.kernels, ElementsAre("6.1.0"));
  EXPECT_THAT(facts.boot_loaders, ElementsAre("GRUB (BIOS)", "GRUB (UEFI)"));
  EXPECT_THAT(facts.elements, ElementsAre("base", "vm"));
  EXPECT_THAT(facts_text(facts), HasSubstr("System        Debian GNU/Linux 12"));
  EXPECT_THAT(facts_text(facts, 30), HasSubstr("Boot loader   GRUB (BIOS),\n              GRUB (UEFI)\n"));
  EXPECT_EQ(facts_json(facts)["packages"], 1);
}

TEST(ImageFactsTest, OtherLoadersAreToldApart) {
  FileTree tree;
  tree.entries["boot/efi/EFI/systemd/systemd-bootx64.efi"] = TreeEntry{.kind = 'f'};
  tree.entries["boot/efi/EFI/Linux/debian.efi"] = TreeEntry{.kind = 'f'};
  EXPECT_THAT(image_facts(tree, {}).boot_loaders, ElementsAre("systemd-boot (UEFI)", "unified kernel image (UEFI)"));
  FileTree signed_one;
  signed_one.entries["boot/efi/EFI/debian/shimx64.efi"] = TreeEntry{.kind = 'f'};
  EXPECT_THAT(image_facts(signed_one, {}).boot_loaders, ElementsAre("shim (Secure Boot)"));
  EXPECT_EQ(facts_text(image_facts({}, {})), "");
}

}  // namespace
}  // namespace hearth::builder
