#include "builder/disk/copy/data_ranges.hpp"

#include "builder/disk/copy/sparse_copy.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using DataRangesTest = DiskFixture;

TEST_F(DataRangesTest, TheyLeaveHolesOutAndJoinNeighbours) {
  const fs::path file = work_.path() / "file";
  create_sparse_file(file, 8 * k_mib);
  const Fd fd = Fd::open(file.string(), O_WRONLY);
  for (const std::uint64_t at : {std::uint64_t{0}, 64 * std::uint64_t{1024}, 4 * k_mib}) {
    ASSERT_EQ(::pwrite(fd.get(), "x", 1, static_cast<off_t>(at)), 1);
  }
  const std::vector<Extent> ranges = data_ranges(file, 128 * 1024);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0], (Extent{0, 68 * 1024}));
  EXPECT_EQ(ranges[1].offset, 4 * k_mib);
}

}  // namespace
}  // namespace hearth::builder
