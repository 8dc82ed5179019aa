#include "builder/plan/disk_plan.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/disk_plan_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class DiskPlanTest : public DiskPlanFixture {
 protected:
  std::string boot_label() { return disk_facts(disk()).boot_label; }
  static std::string with_boot_label(const std::string& label) { return replace_all(k_gpt, "bootfs", label); }
};

TEST_F(DiskPlanTest, WithoutAConfigurationTheDiskIsOneFileSystem) {
  const DiskPlan made = disk();
  EXPECT_EQ(made.layout.table, PartitionTable::none);
  EXPECT_EQ(disk_facts(made).root_label, "the-root");
  EXPECT_EQ(disk_facts(made).root_fs_type, "ext4");
  EXPECT_EQ(disk_facts(made).boot_label, "");
  EXPECT_THAT(disk_facts(made).mount_points, ElementsAre("/"));
}

TEST_F(DiskPlanTest, TheFactsTellOfEveryMountPoint) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  const DiskFacts facts = disk_facts(disk());
  EXPECT_EQ(facts.boot_label, "bootfs");
  EXPECT_EQ(facts.root_label, "the-root");
  EXPECT_THAT(facts.mount_points, ElementsAre("/", "/boot"));
}

TEST_F(DiskPlanTest, AnElementsFileForTheArchitectureBeatsItsDefault) {
  tree.file("os", "block-device-default.yaml", with_boot_label("default"));
  tree.file("os", "block-device-amd64.yaml", with_boot_label("amd64"));
  tree.file("os", "block-device-ppc64el.yaml", with_boot_label("power"));
  EXPECT_EQ(boot_label(), "amd64");
  request.architecture = "ppc64le";
  EXPECT_EQ(boot_label(), "power");
  request.architecture = "arm64";
  EXPECT_EQ(boot_label(), "default");
}

TEST_F(DiskPlanTest, TheFirstElementInTheOrderOfTheSetWins) {
  tree.file("b", "block-device-default.yaml", with_boot_label("from-b"));
  EXPECT_EQ(boot_label(), "from-b");
  tree.file("a", "block-device-default.yaml", with_boot_label("from-a"));
  EXPECT_EQ(boot_label(), "from-a");
}

TEST_F(DiskPlanTest, TheUsersConfigurationBeatsAllAsTextOrFile) {
  tree.file("os", "block-device-default.yaml", with_boot_label("element"));
  request.environment["DIB_BLOCK_DEVICE_CONFIG"] = with_boot_label("text");
  EXPECT_EQ(boot_label(), "text");
  files.write(dir.path() / "mine.yaml", with_boot_label("file"), {});
  request.environment["DIB_BLOCK_DEVICE_CONFIG"] = cat("file://", (dir.path() / "mine.yaml").string());
  EXPECT_EQ(boot_label(), "file");
}

TEST_F(DiskPlanTest, AWrongConfigurationIsRefusedWithItsPlace) {
  tree.file("os", "block-device-default.yaml", "- no_such_plugin:\n    name: x\n");
  EXPECT_THAT(story_of([&] { return disk(); }),
              AllOf(HasSubstr("os/block-device-default.yaml:1:"), HasSubstr("no_such_plugin")));
  request.environment["DIB_BLOCK_DEVICE_CONFIG"] = "file:///missing.yaml";
  EXPECT_THAT(story_of([&] { return disk(); }), HasSubstr("/missing.yaml"));
}

TEST_F(DiskPlanTest, TheIdsFollowFromTheRequest) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  request.image_name = "web";
  const DiskLayout first = disk().layout;
  request.image_name = "elsewhere/web";
  EXPECT_EQ(disk().layout, first) << "the directory that an image is written to is no part of it";
  request.packages = {"vim"};
  EXPECT_NE(disk().layout.disk_id, first.disk_id);
}

TEST_F(DiskPlanTest, TheSectorSizeOfTheVariableBeatsTheConfiguration) {
  request.sector_size = 4096;
  EXPECT_EQ(disk().layout.sector_size, 4096U);
}

TEST_F(DiskPlanTest, WhatBootsIsForX86) {
  tree.add("bootloader").add("b", "a bootloader");
  request.architecture = "arm64";
  EXPECT_THAT(story_of([&] { return disk(); }), AllOf(HasSubstr("-a arm64: "), HasSubstr("bootloader")));
  request.architecture = "x86_64";
  EXPECT_EQ(story_of([&] { return disk(); }), "");
  tree.add("b", "a");
  request.architecture = "arm64";
  EXPECT_EQ(story_of([&] { return disk(); }), "");
  request.formats = parse_formats("tar,uki");
  EXPECT_THAT(story_of([&] { return disk(); }), HasSubstr("-t uki"));
}

TEST_F(DiskPlanTest, TheSizeIsInKibAndFollowsTheOptions) {
  const TreeUsage usage{.bytes = 100U << 20, .inodes = 10, .directories = 2};
  request.image_size_gib = 0.2;
  request.journal_size_mib = 0;
  EXPECT_EQ(size_kib(disk(), request, usage), 209728U);  // upstream's figure for 0.2
  request.image_size_gib.reset();
  const std::uint64_t plain = size_kib(disk(), request, usage);
  EXPECT_GT(plain, 100U * 1024);
  request.extra_size_mib = 512;
  EXPECT_EQ(size_kib(disk(), request, usage), (100U + 512U) * 1024);  // the extra is MiB, and takes the slack's place
}

TEST_F(DiskPlanTest, TheIdsFollowFromWhatIsBuiltNotFromItsName) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  const auto ids = [&] {
    const DiskLayout layout = disk().layout;
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

TEST_F(DiskPlanTest, ReleasesOfDifferentVersionsCanBeInOneMachine) {
  tree.file("os", "block-device-default.yaml", k_gpt);
  const auto ids_of = [&](const char* version) {
    request.version = version;
    const DiskLayout layout = disk().layout;
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
