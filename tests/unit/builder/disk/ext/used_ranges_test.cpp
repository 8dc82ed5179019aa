#include "builder/disk/ext/used_ranges.hpp"

#include "builder/disk/copy/sparse_copy.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using UsedRangesTest = DiskFixture;

TEST_F(UsedRangesTest, AnExtFileSystemCopiedByItsUsedBlocksOverNoiseIsSound) {
  const fs::path file = work_.path() / "file";
  const fs::path noise = work_.path() / "noise";
  create_sparse_file(file, 32 * k_mib);
  make_tree(work_.path() / "tree");
  DiskFileSystem ext{.name = "e", .type = "ext4", .label = "e", .uuid = "11111111-2222-4333-8444-555555555555"};
  make_ext({.file_system = ext,
            .extent = {0, 32 * k_mib},
            .image = file,
            .source = work_.path() / "tree",
            .scratch = work_.path(),
            .epoch = k_epoch},
           runner_);
  files_.write(noise, std::string(32 * k_mib, '\xa5'), {});
  const std::string bytes = read_file(file);
  const Fd fd = Fd::open(noise.string(), O_WRONLY);
  std::uint64_t copied = 0;
  for (const Extent& range : ext_used_ranges(file, 0)) {
    const std::string piece = bytes.substr(range.offset, range.length);
    ASSERT_EQ(::pwrite(fd.get(), piece.data(), piece.size(), static_cast<off_t>(range.offset)),
              static_cast<ssize_t>(piece.size()));
    copied += piece.size();
  }
  EXPECT_LT(copied, 16 * k_mib);
  EXPECT_NE(tool({"e2fsck", "-fn", noise.string()}).find("exit code 0"), std::string::npos);
}

}  // namespace
}  // namespace hearth::builder
