#include "builder/qcow2/raw_source.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/sys/file.hpp"

namespace hearth::builder::qcow2 {
namespace {

class RawSourceTest : public testing::Test {
 protected:
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "raw-");
  Fd fd_ = Fd::open((work_.path() / "disk").string(), O_CREAT | O_RDWR);

  void data(std::uint64_t offset, const std::string& text) {
    ASSERT_EQ(::pwrite(fd_.get(), text.data(), text.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(text.size()));
  }
  void size(std::uint64_t bytes) { ASSERT_EQ(::ftruncate(fd_.get(), static_cast<off_t>(bytes)), 0); }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> batches(std::uint64_t bytes, bool skip_holes) {
    size(bytes);
    const RawDisk disk(work_.path() / "disk");
    RawSource source(disk, skip_holes);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    while (const std::optional<Batch> batch = source.next()) {
      EXPECT_EQ(batch->number, found.size());
      found.emplace_back(batch->first_cluster, batch->clusters);
    }
    return found;
  }
};

using Batches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST_F(RawSourceTest, HolesAreSkippedAndNoClusterComesTwice) {
  constexpr std::uint64_t disk = 1000 * k_cluster;
  size(disk);
  data(5 * k_cluster + 100, "x");
  data(5 * k_cluster + 40000, "y");  // the same cluster, behind a hole of less than a cluster
  data(900 * k_cluster, std::string(2 * k_cluster, 'z'));
  EXPECT_EQ(batches(disk, true), (Batches{{5, 1}, {900, 2}}));
}

TEST_F(RawSourceTest, LongStretchesAreCutIntoBatches) {
  data(0, std::string(40 * k_cluster, 'x'));
  EXPECT_EQ(batches(40 * k_cluster, true), (Batches{{0, 16}, {16, 16}, {32, 8}}));
}

TEST_F(RawSourceTest, WithABackingFileHolesAreReadToo) {
  size(3 * k_cluster);
  EXPECT_EQ(batches(3 * k_cluster, true), Batches{});
  EXPECT_EQ(batches(3 * k_cluster, false), (Batches{{0, 3}}));
}

}  // namespace
}  // namespace hearth::builder::qcow2
