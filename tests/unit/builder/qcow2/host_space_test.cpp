#include "builder/qcow2/host_space.hpp"

#include <gmock/gmock.h>

namespace hearth::builder::qcow2 {
namespace {

using testing::Each;

TEST(HostSpaceTest, PackedBytesLieSideBySideAndCountForEachClusterTheyTouch) {
  HostSpace space;
  EXPECT_EQ(space.packed(40000), k_cluster);
  EXPECT_EQ(space.packed(40000), k_cluster + 40000);
  EXPECT_EQ(space.references()[1], 2);
  EXPECT_EQ(space.references()[2], 1);
}

TEST(HostSpaceTest, WholeClustersDoNotBreakAnExtent) {
  HostSpace space;
  EXPECT_EQ(space.packed(100), k_cluster);
  const std::uint64_t whole = space.cluster();
  EXPECT_EQ(whole % k_cluster, 0U);
  EXPECT_EQ(space.packed(100), k_cluster + 100);
  EXPECT_GT(whole, k_cluster + 100);
}

TEST(HostSpaceTest, AnExtentAtTheEndGrowsWithoutAGap) {
  HostSpace space;
  std::uint64_t expected = k_cluster;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(space.packed(50001), expected);
    expected += 50001;
  }
}

TEST(HostSpaceTest, WhatAnExtentDoesNotNeedIsCutOffAtTheEndOfTheFile) {
  HostSpace space;
  (void)space.packed(10);
  space.end_packing();
  EXPECT_EQ(space.file_size(), 2 * k_cluster);
}

TEST(HostSpaceTest, WhatAnExtentDoesNotNeedInTheMiddleIsUsedForWholeClustersFromItsStart) {
  HostSpace space;
  (void)space.packed(10);
  const std::uint64_t behind = space.cluster();
  space.end_packing();
  EXPECT_EQ(space.cluster(), 2 * k_cluster);
  EXPECT_EQ(space.cluster(), 3 * k_cluster);
  for (int i = 0; i < 5; ++i) EXPECT_LT(space.cluster(), behind);
  EXPECT_GT(space.cluster(), behind);
  EXPECT_THAT(space.references(), Each(1));
}

TEST(RefcountNeedsTest, TheBlocksCountThemselvesAndTheirTable) {
  EXPECT_EQ(refcount_needs(1), (RefcountNeeds{1, 1}));
  EXPECT_EQ(refcount_needs(32766), (RefcountNeeds{1, 1}));
  EXPECT_EQ(refcount_needs(32767), (RefcountNeeds{2, 1}));  // with table and block 32,769 clusters
  EXPECT_EQ(refcount_needs(std::uint64_t{32768} * 8192), (RefcountNeeds{8193, 2}));
}

}  // namespace
}  // namespace hearth::builder::qcow2
