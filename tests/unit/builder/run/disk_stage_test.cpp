#include "builder/run/disk_stage.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/scripted_runner.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_gpt = R"(
- local_loop: {name: image0}
- partitioning:
    base: image0
    label: gpt
    partitions:
      - {name: boot, type: '8300', size: 100MiB, mkfs: {type: ext4, label: bootfs, mount: {mount_point: /boot, fstab: {options: defaults}}}}
      - {name: root, type: '8300', size: 100%, mkfs: {type: ext4, mount: {mount_point: /, fstab: {options: defaults}}}}
)";

class DiskStageTest : public testing::Test {
 protected:
  DiskStageTest() {
    tree.add("os", "", "operating-system").add("a").add("b", "a");
    request.formats = parse_formats("raw");
    request.architecture = "amd64";
    request.root_label = "the-root";
    request.output = dir.path() / "out";
  }
  DiskStage stage() { return DiskStage::plan(request, plan = tree.plan({"os", "a", "b"})); }
  std::string boot_label() { return stage().facts().boot_label; }
  static std::string with_boot_label(const std::string& label) { return replace_all(k_gpt, "bootfs", label); }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  ImageRequest request;
  BuildPlan plan;
};

TEST_F(DiskStageTest, WithoutAConfigurationTheDiskIsOneFileSystem) {
  const DiskStage made = stage();
  EXPECT_EQ(made.layout().table, PartitionTable::none);
  EXPECT_EQ(made.facts().root_label, "the-root");
  EXPECT_EQ(made.facts().root_fs_type, "ext4");
  EXPECT_EQ(made.facts().boot_label, "");
  EXPECT_THAT(made.facts().mount_points, ElementsAre("/"));
}

TEST_F(DiskStageTest, TheFactsTellOfEveryMountPoint) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  const DiskFacts facts = stage().facts();
  EXPECT_EQ(facts.boot_label, "bootfs");
  EXPECT_EQ(facts.root_label, "the-root");
  EXPECT_THAT(facts.mount_points, ElementsAre("/", "/boot"));
}

TEST_F(DiskStageTest, AnElementsFileForTheArchitectureBeatsItsDefault) {
  tree.file("os", "block-device-default.yaml", with_boot_label("default"));
  tree.file("os", "block-device-amd64.yaml", with_boot_label("amd64"));
  tree.file("os", "block-device-ppc64el.yaml", with_boot_label("power"));
  EXPECT_EQ(boot_label(), "amd64");
  request.architecture = "ppc64le";
  EXPECT_EQ(boot_label(), "power");
  request.architecture = "arm64";
  EXPECT_EQ(boot_label(), "default");
}

TEST_F(DiskStageTest, TheFirstElementInTheOrderOfTheSetWins) {
  tree.file("b", "block-device-default.yaml", with_boot_label("from-b"));
  EXPECT_EQ(boot_label(), "from-b");
  tree.file("a", "block-device-default.yaml", with_boot_label("from-a"));
  EXPECT_EQ(boot_label(), "from-a");
}

TEST_F(DiskStageTest, TheUsersConfigurationBeatsAllAsTextOrFile) {
  tree.file("os", "block-device-default.yaml", with_boot_label("element"));
  request.environment["DIB_BLOCK_DEVICE_CONFIG"] = with_boot_label("text");
  EXPECT_EQ(boot_label(), "text");
  files.write(dir.path() / "mine.yaml", with_boot_label("file"), {});
  request.environment["DIB_BLOCK_DEVICE_CONFIG"] = cat("file://", (dir.path() / "mine.yaml").string());
  EXPECT_EQ(boot_label(), "file");
}

TEST_F(DiskStageTest, AWrongConfigurationIsRefusedWithItsPlace) {
  tree.file("os", "block-device-default.yaml", "- no_such_plugin:\n    name: x\n");
  EXPECT_THAT(story_of([&] { return stage(); }),
              AllOf(HasSubstr("os/block-device-default.yaml:1:"), HasSubstr("no_such_plugin")));
  request.environment["DIB_BLOCK_DEVICE_CONFIG"] = "file:///missing.yaml";
  EXPECT_THAT(story_of([&] { return stage(); }), HasSubstr("/missing.yaml"));
}

TEST_F(DiskStageTest, TheIdsFollowFromTheRequest) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  request.image_name = "web";
  const DiskLayout first = stage().layout();
  request.image_name = "elsewhere/web";
  EXPECT_EQ(stage().layout(), first) << "the directory that an image is written to is no part of it";
  request.packages = {"vim"};
  EXPECT_NE(stage().layout().disk_id, first.disk_id);
}

TEST_F(DiskStageTest, TheSectorSizeOfTheVariableBeatsTheConfiguration) {
  request.sector_size = 4096;
  EXPECT_EQ(stage().layout().sector_size, 4096U);
}

TEST_F(DiskStageTest, WhatBootsIsForX86) {
  tree.add("bootloader").add("b", "a bootloader");
  request.architecture = "arm64";
  EXPECT_THAT(story_of([&] { return stage(); }), AllOf(HasSubstr("-a arm64: "), HasSubstr("bootloader")));
  request.architecture = "x86_64";
  EXPECT_EQ(story_of([&] { return stage(); }), "");
  tree.add("b", "a");
  request.architecture = "arm64";
  EXPECT_EQ(story_of([&] { return stage(); }), "");
  request.formats = parse_formats("tar,uki");
  EXPECT_THAT(story_of([&] { return stage(); }), HasSubstr("-t uki"));
}

TEST_F(DiskStageTest, TheSizeIsInKibAndFollowsTheOptions) {
  const TreeUsage usage{.bytes = 100U << 20, .inodes = 10, .directories = 2};
  request.image_size_gib = 0.2;
  request.journal_size_mib = 0;
  EXPECT_EQ(stage().size_kib(usage), 209728U);  // upstream's figure for 0.2
  request.image_size_gib.reset();
  const std::uint64_t plain = stage().size_kib(usage);
  EXPECT_GT(plain, 100U * 1024);
  request.extra_size_mib = 512;
  EXPECT_EQ(stage().size_kib(usage), (100U + 512U) * 1024);  // the extra is MiB, and takes the slack's place
}

TEST_F(DiskStageTest, AMissingToolIsNamedBeforeTheBuild) {
  request.formats = parse_formats("qcow2");
  EXPECT_THAT(story_of([&] {
                stage().check_tools({{"PATH", "/dev/null/nonexistent"}});
                return 0;
              }),
              HasSubstr("e2fsprogs"));
  request.formats = parse_formats("tar");
  EXPECT_EQ(story_of([&] {
              stage().check_tools({{"PATH", "/dev/null/nonexistent"}});
              return 0;
            }),
            "");
}

TEST_F(DiskStageTest, TheTreeGetsMountPointsAndFstab) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  fs::create_directories(dir.path() / "root/etc");
  stage().prepare(dir.path() / "root", {{"SOURCE_DATE_EPOCH", "1000"}});
  EXPECT_TRUE(fs::is_directory(dir.path() / "root/boot"));
  const auto fstab = [&] { return read_file(dir.path() / "root/etc/fstab"); };
  EXPECT_THAT(fstab(), AllOf(HasSubstr(" / ext4 "), HasSubstr(" /boot ext4 "), Not(HasSubstr("LABEL="))));
  EXPECT_EQ(fs::last_write_time(dir.path() / "root/etc/fstab"), 1000);
  const std::string released = fstab();
  request.version = "2";
  stage().prepare(dir.path() / "root", {});
  EXPECT_NE(fstab(), released) << "of two releases' disks in one machine each mounts its own";
  stage().prepare(dir.path() / "root", {{"DIB_BOOTLOADER_ROOT", "label"}});
  EXPECT_THAT(fstab(),
              AllOf(HasSubstr("LABEL=the-root / "), HasSubstr("LABEL=bootfs /boot "), Not(HasSubstr("UUID="))));
}

TEST_F(DiskStageTest, AnArchiveIsWrittenWithoutAnyDiskOrProcess) {
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
  EXPECT_THAT(stage().write(dir.path() / "root", tools), ElementsAre(dir.path() / "out.tar"));
  EXPECT_THAT(steps, ElementsAre("output out.tar"));
  EXPECT_TRUE(fs::exists(dir.path() / "out.tar"));
  EXPECT_TRUE(fs::exists(dir.path() / "out.tar.sha256"));
  EXPECT_TRUE(nobody.ran.empty());
}

/// As upstream's, whose boot loader is installed in the tree whatever is made of it.
TEST_F(DiskStageTest, AnArchiveOfATreeWithABootLoaderHoldsItsFilesWithoutADiskToo) {
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
    (void)DiskStage::plan(request, plan).write(root, tools);
  };
  write();
  EXPECT_THAT(steps, ElementsAre("output out.tar")) << "a tree without a kernel is not for booting";
  files.write(root / "boot/vmlinuz-6.1", "kernel", {});
  write();
  EXPECT_THAT(steps, ElementsAre("output out.tar", "boot files", "output out.tar"));
  EXPECT_THAT(read_file(root / "boot/grub/grub.cfg"), HasSubstr("vmlinuz-6.1"));
}

TEST_F(DiskStageTest, TheIdsFollowFromWhatIsBuiltNotFromItsName) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  const auto ids = [&] {
    const DiskLayout layout = stage().layout();
    std::string all = layout.disk_id;
    for (const DiskFileSystem& each : layout.file_systems) all += each.uuid;
    return all;
  };
  request.image_name = "a";
  const std::string first = ids();
  request.image_name = "elsewhere/b";
  EXPECT_EQ(ids(), first);
  request.packages = {"nginx"};
  EXPECT_NE(ids(), first);
}

TEST_F(DiskStageTest, ReleasesOfDifferentVersionsCanBeInOneMachine) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  const auto ids_of = [&](const char* version) {
    request.version = version;
    const DiskLayout layout = stage().layout();
    std::vector<std::string> all = {layout.disk_id};
    for (const Partition& each : layout.partitions) all.push_back(each.guid);
    for (const DiskFileSystem& each : layout.file_systems) all.push_back(each.uuid);
    return all;
  };
  const std::vector<std::string> first = ids_of("1");
  EXPECT_EQ(ids_of("1"), first);
  for (const std::string& id : ids_of("2")) EXPECT_THAT(first, testing::Not(testing::Contains(id)));
}

}  // namespace
}  // namespace hearth::builder
