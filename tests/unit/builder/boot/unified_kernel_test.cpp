// The peer is objdump, which reads PE programs.
#include "builder/boot/unified_kernel.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void put(std::string& bytes, std::size_t at, std::uint32_t number, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(number >> (8 * i) & 0xffU);
}

/// The least PE32+ program: one section of 512 bytes at 0x1000, headers of 1024 bytes, then debugging symbols.
std::string small_stub() {
  std::string pe(0x400 + 512, '\0');
  pe.replace(0, 2, "MZ");
  put(pe, 0x3c, 0x80, 4);
  pe.replace(0x80, 2, "PE");
  put(pe, 0x84, 0x8664, 2);
  put(pe, 0x86, 1, 2);      // sections
  put(pe, 0x8c, 0x600, 4);  // symbols
  put(pe, 0x90, 3, 4);
  put(pe, 0x94, 240, 2);  // optional header
  put(pe, 0x98, 0x20b, 2);
  put(pe, 0x98 + 32, 512, 4);
  put(pe, 0x98 + 36, 512, 4);
  put(pe, 0x98 + 56, 0x1200, 4);
  put(pe, 0x98 + 60, 0x400, 4);
  put(pe, 0x98 + 108, 16, 4);  // data directories
  const std::size_t section = 0x98 + 240;
  pe.replace(section, 5, ".text");
  put(pe, section + 8, 512, 4);
  put(pe, section + 12, 0x1000, 4);
  put(pe, section + 16, 512, 4);
  put(pe, section + 20, 0x400, 4);
  return pe + "symbols";
}

std::string message_for(const std::string& stub, const std::vector<PeSection>& sections) {
  try {
    (void)with_sections(stub, sections);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(UnifiedKernelTest, SectionsFollowThoseOfTheStubEachOnAPageOfItsOwn) {
  SystemClock clock;
  RealRunner runner(clock);
  if (!find_program("objdump", current_environment())) GTEST_SKIP() << "objdump is not installed";
  const TempDir work = TempDir::create(fs::temp_directory_path(), "uki-");
  const fs::path file = work.path() / "uki.efi";
  const std::string bytes = with_sections(small_stub(), {{".cmdline", "root=x"}, {".linux", std::string(5000, 'k')}});
  RealFileSystem().write(file, bytes, {});
  const std::string shown = run_checked(runner, {.argv = {"objdump", "-h", file.string()}});
  EXPECT_THAT(shown, AllOf(HasSubstr(".cmdline      00000006  0000000000002000"),
                           HasSubstr(".linux        00001388  0000000000003000")));
  EXPECT_EQ(bytes.size() % 512, 0U);
  EXPECT_THAT(bytes, testing::Not(HasSubstr("symbols")));
  EXPECT_THAT(run_checked(runner, {.argv = {"objdump", "-p", file.string()}}), HasSubstr("SizeOfImage\t\t00005000"));
}

TEST(UnifiedKernelTest, WhatIsNoUnsignedProgramWithRoomIsRefused) {
  EXPECT_THAT(message_for("MZ", {}), HasSubstr("cut short"));
  EXPECT_THAT(message_for(std::string(2048, '\0'), {}), HasSubstr("no 64-bit PE"));
  std::string sealed = small_stub();
  put(sealed, 0x98 + 112 + 32, 0x800, 4);
  EXPECT_THAT(message_for(sealed, {}), HasSubstr("signed"));
  EXPECT_THAT(message_for(small_stub(), std::vector<PeSection>(20, {".x", "y"})), HasSubstr("no room"));
}

TEST(UnifiedKernelTest, KernelRamdiskAndCommandLineOfTheTreeAreInside) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "uki-");
  RealFileSystem files;
  for (const char* directory : {"boot", "usr/lib/systemd/boot/efi"})
    files.make_directories(work.path() / directory, 0755);
  files.write(work.path() / "boot/vmlinuz-6.1", "the kernel", {});
  files.write(work.path() / "boot/initrd.img-6.1", "the ramdisk", {});
  files.write(work.path() / "usr/lib/os-release", "ID=debian\n", {});
  files.write(work.path() / "usr/lib/systemd/boot/efi/linuxx64.efi.stub", small_stub(), {});
  DiskLayout layout;
  layout.file_systems = {{.name = "root", .type = "ext4", .uuid = "root-id", .mount_point = "/"}};
  EXPECT_THAT(
      unified_kernel_of(work.path(), layout, {.consoles = {"ttyS1"}, .systemd_files = "/usr/lib/systemd/boot/efi"}),
      AllOf(HasSubstr("the kernel"), HasSubstr("the ramdisk"), HasSubstr("root=UUID=root-id ro console=ttyS1"),
            HasSubstr("ID=debian")));
}

}  // namespace
}  // namespace hearth::builder
