#include "builder/disk/layout/config_graph.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

std::vector<std::string> flat(const std::string& yaml) {
  std::vector<std::string> nodes;
  for (const ConfigNode& node : flatten_config(YAML::Load(yaml))) {
    nodes.push_back(cat(node.plugin, " ", node.name, " on ", node.base, " at ", node.path));
  }
  return nodes;
}

TEST(ConfigGraphTest, ChildrenComeFirstAndTakeNameAndBaseFromTheirParent) {
  EXPECT_THAT(flat("- local_loop: {name: d, mkfs: {mount: {fstab: {}}}}"),
              testing::ElementsAre("fstab fstab_mount_mkfs_d on mount_mkfs_d at [0].local_loop.mkfs.mount.fstab",
                                   "mount mount_mkfs_d on mkfs_d at [0].local_loop.mkfs.mount",
                                   "mkfs mkfs_d on d at [0].local_loop.mkfs", "local_loop d on  at [0].local_loop"));
}

TEST(ConfigGraphTest, PluginsInsidePartitionsAreBasedOnThePartition) {
  EXPECT_THAT(flat("- partitioning: {base: d, partitions: [{name: root, mkfs: {}}]}"),
              testing::ElementsAre("mkfs mkfs_root on root at [0].partitioning.partitions[0].mkfs",
                                   "partitioning partitioning_d on d at [0].partitioning"));
}

TEST(ConfigGraphTest, NamesAndBasesThatAreGivenWin) {
  EXPECT_THAT(flat("- mkfs: {base: d, name: own, mount: {base: other}}"),
              testing::ElementsAre("mount mount_other on other at [0].mkfs.mount", "mkfs own on d at [0].mkfs"));
}

}  // namespace
}  // namespace hearth::builder
