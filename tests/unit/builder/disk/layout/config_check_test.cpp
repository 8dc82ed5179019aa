#include "builder/disk/layout/config_check.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

TEST(ConfigCheckTest, GptTypesAreSgdiskCodesOrGuids) {
  EXPECT_EQ(gpt_type_guid("EF00"), k_esp_type);
  EXPECT_EQ(gpt_type_guid("ef02"), k_bios_boot_type);
  EXPECT_EQ(gpt_type_guid("0x4100"), "9E1A2D38-C612-4316-AA26-8B49521E5A8B");
  EXPECT_EQ(gpt_type_guid("0fc63daf-8483-4772-8e79-3d69d8477de4"), "0FC63DAF-8483-4772-8E79-3D69D8477DE4");
  EXPECT_EQ(gpt_type_guid("9999"), "");
}

TEST(ConfigCheckTest, MbrTypesMayLeaveOutTheirPrefix) {
  std::vector<std::string> warnings;
  const YAML::Node data = YAML::Load(
      "{label: mbr, partitions: [{name: a, size: 1M}, {name: b, size: 1M, type: '0xEF'}, {name: c, size: 1M, type: "
      "'7'}]}");
  ConfigFaults faults;
  const PartitionTableSettings table = check_partitioning(Settings(data, ""), warnings, faults);
  EXPECT_EQ(table.partitions[0].type, "83");
  EXPECT_EQ(table.partitions[1].type, "ef");
  EXPECT_EQ(table.partitions[2].type, "07");
}

TEST(ConfigCheckTest, FatLabelsAreUpperCaseAndFatIdsHaveEightDigits) {
  std::vector<std::string> warnings;
  const ConfigNode node{
      .plugin = "mkfs", .name = "esp", .base = "", .data = YAML::Load("{type: vfat, uuid: abcd-1234}"), .path = ""};
  const DiskFileSystem file_system = check_mkfs(node, warnings);
  EXPECT_EQ(file_system.label, "ESP");
  EXPECT_EQ(file_system.uuid, "ABCD-1234");
}

TEST(ConfigCheckTest, AnUnknownFileSystemTypeOnlyWarns) {
  std::vector<std::string> warnings;
  const ConfigNode node{.plugin = "mkfs", .name = "a", .base = "", .data = YAML::Load("{type: f2fs}"), .path = "p"};
  EXPECT_EQ(check_mkfs(node, warnings).type, "f2fs");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], "1:8: p.type: unknown file system type f2fs");
  warnings.clear();
  const ConfigNode ext5{.plugin = "mkfs", .name = "a", .base = "", .data = YAML::Load("{type: ext5}"), .path = "p"};
  EXPECT_EQ(check_mkfs(ext5, warnings).type, "ext5");
  EXPECT_EQ(warnings.at(0), "1:8: p.type: unknown file system type ext5, did you mean ext4?");
  warnings.resize(1);
  const ConfigNode slip{.plugin = "mkfs", .name = "a", .base = "", .data = YAML::Load("{type: xsf}"), .path = "p"};
  EXPECT_EQ(check_mkfs(slip, warnings).type, "xsf");
  EXPECT_EQ(warnings.back(), "1:8: p.type: unknown file system type xsf, did you mean xfs?");
}

}  // namespace
}  // namespace hearth::builder
