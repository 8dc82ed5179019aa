#include "builder/run/disk_writing.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/scripted_runner.hpp"
#include "tests/unit/builder/disk_plan_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using DiskWritingTest = DiskPlanFixture;

TEST_F(DiskWritingTest, TheTreeGetsMountPointsAndFstab) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  fs::create_directories(dir.path() / "root/etc");
  prepare_disk_tree(disk(), dir.path() / "root", {{"SOURCE_DATE_EPOCH", "1000"}});
  EXPECT_TRUE(fs::is_directory(dir.path() / "root/boot"));
  const auto fstab = [&] { return read_file(dir.path() / "root/etc/fstab"); };
  EXPECT_THAT(fstab(), AllOf(HasSubstr(" / ext4 "), HasSubstr(" /boot ext4 "), Not(HasSubstr("LABEL="))));
  EXPECT_EQ(fs::last_write_time(dir.path() / "root/etc/fstab"), 1000);
  const std::string released = fstab();
  request.version = "2";
  prepare_disk_tree(disk(), dir.path() / "root", {});
  EXPECT_NE(fstab(), released) << "of two releases' disks in one machine each mounts its own";
  prepare_disk_tree(disk(), dir.path() / "root", {{"DIB_BOOTLOADER_ROOT", "label"}});
  EXPECT_THAT(fstab(),
              AllOf(HasSubstr("LABEL=the-root / "), HasSubstr("LABEL=bootfs /boot "), Not(HasSubstr("UUID="))));
}

TEST_F(DiskWritingTest, AnArchiveIsWrittenWithoutAnyDiskOrProcess) {
  request.formats = parse_formats("tar");
  request.checksums = {HashKind::sha256};
  fs::create_directories(dir.path() / "root/etc");
  fakes::ScriptedRunner nobody;
  Names steps;
  const DiskTools tools{
      nobody, {{"SOURCE_DATE_EPOCH", "0"}}, [&](const std::string& name, const std::function<void()>& work) {
        steps.push_back(name);
        work();
      }};
  EXPECT_THAT(write_disk(disk(), request, dir.path() / "root", tools), ElementsAre(dir.path() / "out.tar"));
  EXPECT_THAT(steps, ElementsAre("output out.tar"));
  EXPECT_TRUE(fs::exists(dir.path() / "out.tar"));
  EXPECT_TRUE(fs::exists(dir.path() / "out.tar.sha256"));
  EXPECT_TRUE(nobody.ran.empty());
}

/// As upstream's, whose boot loader is installed in the tree whatever is made of it.
TEST_F(DiskWritingTest, AnArchiveOfATreeWithABootLoaderHoldsItsFilesWithoutADiskToo) {
  tree.file("os", "block-device-default.yaml",
            "- local_loop: {name: image0}\n- partitioning: {base: image0, label: mbr, partitions: [{name: root, size: "
            "100%, mkfs: {type: ext4, mount: {mount_point: /}}}]}\n");
  tree.add("bootloader").add("b", "a bootloader");
  request.formats = parse_formats("tar");
  const fs::path root = dir.path() / "root";
  fs::create_directories(root / "etc");
  fs::create_directories(root / "boot");
  fakes::ScriptedRunner nobody;
  Names steps;
  const DiskTools tools{
      nobody, {{"SOURCE_DATE_EPOCH", "0"}}, [&](const std::string& name, const std::function<void()>& work) {
        steps.push_back(name);
        work();
      }};
  const auto write = [&] {
    plan = tree.plan({"os", "a", "b"});
    for (Element& element : plan.elements.elements) element.built_in = element.name == "bootloader";
    (void)write_disk(plan_disk(request, plan), request, root, tools);
  };
  write();
  EXPECT_THAT(steps, ElementsAre("output out.tar")) << "a tree without a kernel is not for booting";
  files.write(root / "boot/vmlinuz-6.1", "kernel", {});
  write();
  EXPECT_THAT(steps, ElementsAre("output out.tar", "boot files", "output out.tar"));
  EXPECT_THAT(read_file(root / "boot/grub/grub.cfg"), HasSubstr("vmlinuz-6.1"));
}

}  // namespace
}  // namespace hearth::builder
