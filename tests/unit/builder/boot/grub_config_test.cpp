#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/boot/grub.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

DiskLayout whole() {
  DiskLayout layout;
  layout.file_systems = {{.name = "root", .type = "ext4", .uuid = "root-id", .mount_point = "/"}};
  return layout;
}

DiskLayout separate() {
  DiskLayout layout = whole();
  layout.file_systems.push_back({.name = "boot", .type = "ext2", .uuid = "boot-id", .mount_point = "/boot"});
  return layout;
}

const BootKernels k_links = {{"/vmlinuz", "/initrd.img"}, KernelEntry{"/vmlinuz.old", "/initrd.img.old"}};

TEST(GrubConfigTest, TheKernelFindsItsRootByIdAndSpeaksOnBothConsoles) {
  const std::string text = grub_config(whole(), k_links, {.timeout = 3, .extra_command_line = "quiet nofb"});
  EXPECT_THAT(text, HasSubstr("linux /vmlinuz root=UUID=root-id ro console=tty0 console=ttyS0,115200 quiet nofb\n"));
  EXPECT_THAT(text, HasSubstr("initrd /initrd.img\n"));
  EXPECT_THAT(text, HasSubstr("set timeout=3\n"));
  EXPECT_THAT(text, HasSubstr("--set=root root-id\n"));
}

TEST(GrubConfigTest, ThePreviousKernelIsOfferedOnlyWhereItsLinkIsThere) {
  EXPECT_THAT(grub_config(whole(), k_links, {}), HasSubstr("if [ -e /vmlinuz.old ]; then\n  menuentry"));
  EXPECT_THAT(grub_config(whole(), {k_links.current, std::nullopt}, {}), Not(HasSubstr(".old")));
}

TEST(GrubConfigTest, TheRootCanHaveOtherNames) {
  DiskLayout layout = whole();
  layout.file_systems.front().label = "the-root";
  EXPECT_EQ(kernel_command_line(layout, RootName::label), "root=LABEL=the-root ro");
  EXPECT_THROW((void)kernel_command_line(layout, RootName::partuuid), Error);
  layout.file_systems.front().partition = 2;
  layout.table = PartitionTable::gpt;
  layout.partitions = {{.name = "a"}, {.name = "b", .primary = true}, {.name = "c", .guid = "ABCD-EF"}};
  EXPECT_EQ(kernel_command_line(layout, RootName::partuuid), "root=PARTUUID=abcd-ef ro");
  layout.table = PartitionTable::mbr;
  layout.disk_id = "0000BEEF";
  EXPECT_EQ(kernel_command_line(layout, RootName::partuuid), "root=PARTUUID=0000beef-06 ro");  // the second logical one
  layout.file_systems.front().partition = 1;
  EXPECT_EQ(kernel_command_line(layout, RootName::partuuid), "root=PARTUUID=0000beef-01 ro");
}

TEST(GrubConfigTest, PathsAreRelativeToABootFileSystemOfItsOwn) {
  const std::string text = grub_config(separate(), {{"/boot/vmlinuz", "/boot/initrd.img"}, std::nullopt}, {});
  EXPECT_THAT(text, HasSubstr("linux /vmlinuz root=UUID=root-id"));
  EXPECT_THAT(text, HasSubstr("--set=root boot-id\n"));
}

TEST(GrubConfigTest, AKernelWithoutRamdiskHasNoInitrdLine) {
  EXPECT_THAT(grub_config(whole(), {{"/vmlinuz", ""}, std::nullopt}, {}), Not(HasSubstr("initrd")));
}

TEST(GrubConfigTest, GrubsOwnSyntaxCheckTakesIt) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "grub-cfg-");
  SystemClock clock;
  RealRunner runner(clock);
  if (!find_program("grub-script-check", current_environment())) GTEST_SKIP() << "grub-script-check is not installed";
  RealFileSystem().write(work.path() / "grub.cfg", grub_config(whole(), k_links, {.title = "It's Debian"}), {});
  EXPECT_NO_THROW(run_checked(runner, {.argv = {"grub-script-check", (work.path() / "grub.cfg").string()}}));
}

}  // namespace
}  // namespace hearth::builder
