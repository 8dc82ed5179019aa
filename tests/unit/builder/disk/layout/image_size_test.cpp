#include "builder/disk/layout/image_size.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

constexpr std::uint64_t k_image_size_mib = 1024 * 1024;

DiskLayout image_size_layout_of(const std::string& type, bool esp = false) {
  DiskLayout layout;
  layout.file_systems = {{.name = "root", .type = type, .label = "r", .mount_point = "/"}};
  if (esp) layout.partitions = {{.name = "ESP", .size = std::uint64_t{1}, .type = std::string(k_esp_type)}};
  return layout;
}

TEST(ImageSizeTest, WithoutASizeTheTreeFillsSixTenths) {
  const TreeUsage usage{.bytes = 600 * k_image_size_mib};
  EXPECT_EQ(image_size(usage, {}, image_size_layout_of("ext3")), 1000 * k_image_size_mib);
  EXPECT_EQ(image_size(usage, {}, image_size_layout_of("ext4")), 1064 * k_image_size_mib);
  EXPECT_EQ(image_size(usage, {.journal_mib = 16}, image_size_layout_of("ext4", true)), 1541 * k_image_size_mib);
}

TEST(ImageSizeTest, AGivenSizeIsTakenAndExtraSpaceIsAdded) {
  const TreeUsage usage{.bytes = 600 * k_image_size_mib};
  EXPECT_EQ(image_size(usage, {.image_gib = 1.5}, image_size_layout_of("ext4")), 1536 * k_image_size_mib);
  EXPECT_EQ(image_size(usage, {.image_gib = 1.5}, image_size_layout_of("ext4", true)), (1536 + 525) * k_image_size_mib);
  EXPECT_EQ(image_size(usage, {.extra_gib = 1}, image_size_layout_of("ext3")), 1624 * k_image_size_mib);
}

TEST(ImageSizeTest, ASizeInTheLayoutBeatsTheRule) {
  DiskLayout layout = image_size_layout_of("ext4");
  layout.size = 7 * k_image_size_mib;
  EXPECT_EQ(image_size({}, {.image_gib = 1}, layout), 7 * k_image_size_mib);
}

TEST(ImageSizeTest, TheResultIsRoundedUpTo64KiB) {
  EXPECT_EQ(image_size({.bytes = 4096}, {}, image_size_layout_of("ext3")), 64U * 1024);
}

/// mke2fs itself is asked: what we call enough is, and a little less than half of it is not.
TEST(ImageSizeTest, ASmallTreeGetsADiskThatHoldsItsJournal) {
  DiskLayout layout = image_size_layout_of("ext4");
  layout.file_systems[0].options = {"-i", "4096", "-J", "size=64"};
  const TreeUsage tiny{.bytes = 4096, .inodes = 2};
  const std::uint64_t least = least_size(layout.file_systems[0], tiny);
  EXPECT_GE(image_size(tiny, {}, layout), least);
  const TempDir work = TempDir::create(fs::temp_directory_path(), "journal-");
  const SystemClock clock;
  RealRunner runner(clock);
  const auto made = [&](std::uint64_t bytes) {
    const std::string file = (work.path() / "ext4").string();
    fs::remove(file);
    RealFileSystem().write(file, "", {});
    fs::resize_file(file, bytes);
    return succeeded(
        runner.run({.argv = {"/sbin/mke2fs", "-q", "-t", "ext4", "-i", "4096", "-J", "size=64", file}}).status);
  };
  EXPECT_TRUE(made(least));
  EXPECT_FALSE(made(least * 9 / 10));
}

TEST(ImageSizeTest, RootOptionsPutTheUsersLast) {
  EXPECT_EQ(root_mkfs_options("ext4", 64, std::nullopt, "-m 1"), "-i 4096 -J size=64 -m 1");
  EXPECT_EQ(root_mkfs_options("ext4", 16, 1000, ""), "-E resize=1000 -i 4096 -J size=16");
  EXPECT_EQ(root_mkfs_options("xfs", 64, 1000, "-b x"), "-b x");
}

class MeasureTest : public testing::Test {
 protected:
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "measure-");
  fs::path tree_ = work_.path() / "tree";
  RealFileSystem files_;

  void SetUp() override {
    files_.make_directories(tree_ / "var/big", 0755);
    files_.write(tree_ / "a", std::string(5000, 'x'), {});
    files_.write(tree_ / "var/big/b", std::string(100000, 'x'), {});
    fs::create_hard_link(tree_ / "a", tree_ / "a2");
  }
};

TEST_F(MeasureTest, FilesCountInBlocksAndHardLinksOnce) {
  const TreeUsage usage = measure_tree(tree_);
  EXPECT_EQ(usage.directories, 3U);
  EXPECT_EQ(usage.inodes, 5U);
  EXPECT_EQ(usage.bytes, 3U * 4096 + 8192 + 102400);
}

TEST_F(MeasureTest, HolesAreLeftOut) {
  const fs::path sparse = tree_ / "sparse";
  files_.write(sparse, "x", {});
  fs::resize_file(sparse, 50 * k_image_size_mib);
  EXPECT_LT(measure_tree(tree_).bytes, k_image_size_mib);
}

TEST_F(MeasureTest, AnXfsHasALeastSizeOfItsOwn) {
  const DiskFileSystem xfs{.name = "x", .type = "xfs"};
  EXPECT_EQ(least_size(xfs, {.bytes = 5 * k_image_size_mib}), 300 * k_image_size_mib);
  EXPECT_EQ(least_size(xfs, {.bytes = 500 * k_image_size_mib}), 564 * k_image_size_mib);
}

TEST_F(MeasureTest, DirectoriesThatAreOtherFileSystemsAreLeftOut) {
  EXPECT_EQ(measure_tree(tree_, {tree_ / "var/big"}).bytes, 2U * 4096 + 8192);
}

TEST_F(MeasureTest, TooSmallADiskIsRefusedWithTheSizeThatIsNeeded) {
  files_.write(tree_ / "large", std::string(9 * k_image_size_mib, 'x'), {});
  DiskLayout layout = image_size_layout_of("ext4");
  layout.file_systems[0].options = {"-J", "size=4"};
  EXPECT_NO_THROW(require_room(tree_, measure_tree(tree_), layout, place(layout, 20 * k_image_size_mib)));
  try {
    require_room(tree_, measure_tree(tree_), layout, place(layout, 12 * k_image_size_mib));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the files for / need at least 15"));
    EXPECT_THAT(error.story(), testing::HasSubstr("--image-size"));
  }
}

/// Beside an EFI partition the size that is asked for is not the disk's, and of a half of the disk half counts.
TEST_F(MeasureTest, TheSizeThatIsAdvisedIsEnoughAndNoneMore) {
  files_.write(tree_ / "large", std::string(300 * k_image_size_mib, 'x'), {});
  const TreeUsage usage = measure_tree(tree_);
  for (const double share : {100.0, 50.0}) {
    DiskLayout layout;
    layout.table = PartitionTable::gpt;
    layout.partitions = {{.name = "ESP", .size = 512 * k_image_size_mib, .type = std::string(k_esp_type)},
                         {.name = "root", .size = Percent{share}}};
    layout.file_systems = {{.name = "root", .type = "ext4", .label = "r", .mount_point = "/", .partition = 1}};
    const auto refusal = [&](std::uint64_t mib) {
      const double gib = static_cast<double>(mib) / 1024;
      try {
        require_room(tree_, usage, layout, place(layout, image_size(usage, {.image_gib = gib}, layout)));
        return std::string();
      } catch (const Error& error) {
        return error.story();
      }
    };
    const std::string story = refusal(100);
    const std::size_t at = story.find("Give --image-size ");
    ASSERT_NE(at, std::string::npos) << story;
    const std::uint64_t advised = std::stoull(story.substr(at + 18));
    EXPECT_EQ(refusal(advised), "") << share;
    EXPECT_NE(refusal(advised - 1), "") << "less would have been enough, too: " << share;
  }
}

TEST_F(MeasureTest, WhereTheLayoutSaysTheSizeTheAdviceIsToChangeIt) {
  files_.write(tree_ / "large", std::string(300 * k_image_size_mib, 'x'), {});
  const auto story = [&](const DiskLayout& layout) -> std::string {
    try {
      require_room(tree_, measure_tree(tree_), layout, place(layout, 200 * k_image_size_mib));
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  };
  DiskLayout layout = image_size_layout_of("ext4");
  layout.size = 200 * k_image_size_mib;
  EXPECT_THAT(story(layout), testing::HasSubstr("The layout gives the disk its size: make it 3"));
  layout.size.reset();
  layout.table = PartitionTable::gpt;
  layout.partitions = {{.name = "root", .size = 100 * k_image_size_mib}};
  layout.file_systems[0].partition = 0;
  EXPECT_THAT(story(layout), testing::HasSubstr("make its partition or volume larger there"));
}

}  // namespace
}  // namespace hearth::builder
