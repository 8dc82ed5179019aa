#include "pxe/boot/boot_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/memory_file_system.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

void add(fakes::MemoryFileSystem& files, const fs::path& path) {
  files.make_directories(path.parent_path(), 0755);
  files.write(path, "x", {});
}

TEST(BootFiles, AreFoundWhereDebiansPackagesPutThem) {
  fakes::MemoryFileSystem files;
  add(files, "/usr/lib/ipxe/snponly.efi");
  const FoundFiles found = find_boot_files(files);
  EXPECT_EQ(found.paths.at("snponly.efi"), "/usr/lib/ipxe/snponly.efi");
  EXPECT_THAT(found.missing, Contains("undionly.kpxe (package ipxe)"));
}

TEST(BootFiles, WhatIsMissingIsToldWithItsPackage) {
  fakes::MemoryFileSystem files;
  for (const BootFile& file : boot_files()) {
    if (file.name != "grubx64.efi") add(files, file.path);
  }
  add(files, "/boot/vmlinuz");
  EXPECT_THAT(check_files(dhcp::sample_site(), find_boot_files(files), files),
              ElementsAre(HasSubstr("apt-get install grub-efi-amd64-signed"),
                          "profile deploy: there is no file /boot/ramdisk"));
}

}  // namespace
}  // namespace hearth::pxe
