#include "builder/disk/ext/ext_placement.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <set>

namespace hearth::builder {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t k_block = 4096;

/// A root with directories of files, sizes in blocks.
std::vector<ExtNode> tree(const std::vector<std::vector<std::uint64_t>>& directories) {
  std::vector<ExtNode> nodes(1);
  nodes[0].mode = S_IFDIR;
  for (const std::vector<std::uint64_t>& files : directories) {
    const std::size_t directory = nodes.size();
    nodes[0].children.push_back(directory);
    nodes.emplace_back();
    nodes.back().mode = S_IFDIR;
    nodes.back().same_as = directory;
    for (const std::uint64_t blocks : files) {
      nodes[directory].children.push_back(nodes.size());
      ExtNode file;
      file.mode = S_IFREG;
      file.same_as = nodes.size();
      file.size = blocks * k_block;
      if (blocks > 0) file.data = {{0, file.size}};
      nodes.push_back(file);
    }
  }
  return nodes;
}

std::vector<std::vector<FileExtent>> placed(const std::vector<ExtNode>& nodes, std::vector<BlockRange> free,
                                            std::uint64_t offset = 0) {
  std::vector<std::uint64_t> directories(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) directories[i] = nodes[i].is_directory() ? 1 : 0;
  return place_nodes(nodes, directories, FreeBlocks(std::move(free)), {.offset = offset}).value();
}

TEST(FreeBlocks, AreGivenOutInOrderAndWhatWasPassedOverComesLast) {
  FreeBlocks free({{3, 5}, {20, 30}});
  EXPECT_THAT(*free.take(2), ElementsAre(BlockRange{3, 2}));
  free.align(16, 0);
  EXPECT_THAT(*free.take(10), ElementsAre(BlockRange{32, 10}));
  EXPECT_EQ(free.left(), 23U);
  EXPECT_THAT(*free.take(23), ElementsAre(BlockRange{42, 8}, BlockRange{5, 3}, BlockRange{20, 12}));
  EXPECT_FALSE(free.take(1));
}

TEST(ExtPlacement, WithRoomTheLargeFilesBeginOnClustersOfTheDisk) {
  const auto nodes = tree({{20, 1, 17, 2}});
  const auto extents = placed(nodes, {{100, 10000}}, 5 * k_block);  // the file system begins five blocks into a cluster
  EXPECT_THAT(extents[0], ElementsAre(FileExtent{0, 100, 1}));
  EXPECT_THAT(extents[1], ElementsAre(FileExtent{0, 101, 1}));
  EXPECT_THAT(extents[2], ElementsAre(FileExtent{0, 107, 20}));
  EXPECT_THAT(extents[4], ElementsAre(FileExtent{0, 139, 17}));
  EXPECT_THAT(extents[3], ElementsAre(FileExtent{0, 171, 1}));
  EXPECT_THAT(extents[5], ElementsAre(FileExtent{0, 172, 2}));
}

TEST(ExtPlacement, AFileThatGrewMovesNoFileOfAnotherFullDirectory) {
  const std::vector<std::uint64_t> many(20, 1);
  std::vector<std::uint64_t> more = many;
  more[3] = 2;
  const auto before = placed(tree({many, many, {30}}), {{100, 10000}});
  const auto after = placed(tree({more, many, {30}}), {{100, 10000}});
  EXPECT_NE(before[20], after[20]);
  for (std::size_t i = 22; i < before.size(); ++i) EXPECT_EQ(before[i], after[i]) << i;
}

TEST(ExtPlacement, WhereRoomIsShortThereAreNoGapsAndEveryBlockCanBeUsed) {
  const auto nodes = tree({{20, 1, 17, 2}, {}});
  const auto extents = placed(nodes, {{100, 13}, {150, 30}});  // 40 blocks of data, 3 of directories
  std::set<std::uint64_t> used;
  for (const auto& node : extents) {
    for (const FileExtent& extent : node) {
      for (std::uint32_t i = 0; i < extent.count; ++i) EXPECT_TRUE(used.insert(extent.physical + i).second);
    }
  }
  EXPECT_EQ(used.size(), 43U);
  EXPECT_THAT(extents[2], ElementsAre(FileExtent{0, 103, 10}, FileExtent{10, 150, 10}));
  const std::vector<std::uint64_t> directories = {1, 1, 0, 0, 0, 0, 1};
  EXPECT_FALSE(place_nodes(nodes, directories, FreeBlocks({{100, 42}}), {}));
}

TEST(ExtPlacement, HolesTakeNoBlocksAndLongRunsAreCut) {
  auto nodes = tree({{1}});
  nodes[2].size = 200000 * k_block;
  nodes[2].data = {{2 * k_block, 10}, {50 * k_block, 40000 * k_block}};
  const auto extents = placed(nodes, {{0, 50000}});
  EXPECT_THAT(extents[2], ElementsAre(FileExtent{2, 16, 1}, FileExtent{50, 17, 32768}, FileExtent{32818, 32785, 7232}));
}

TEST(ExtPlacement, ALinksTextTakesABlockWhereItIsTooLongForTheInode) {
  auto nodes = tree({{1, 1, 1}});
  for (const auto& [index, length] : {std::pair{2U, 59U}, {3U, 60U}}) {
    nodes[index].mode = S_IFLNK;
    nodes[index].data.clear();
    nodes[index].size = length;
  }
  nodes[4].same_as = 2;  // a further name
  const auto extents = placed(nodes, {{0, 1000}});
  EXPECT_TRUE(extents[2].empty());
  EXPECT_EQ(extents[3].size(), 1U);
  EXPECT_TRUE(extents[4].empty());
}

}  // namespace
}  // namespace hearth::builder
