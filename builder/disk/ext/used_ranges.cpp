#include "builder/disk/ext/used_ranges.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/data_ranges.hpp"
#include "builder/disk/ext/ext_file_system.hpp"

namespace hearth::builder {

namespace {

void check_read(errcode_t code, const fs::path& file) {
  if (code != 0) throw Error(ErrorKind::io, cat("reading the file system ", file.string(), ": ", ext_error_text(code)));
}

}  // namespace

std::vector<Extent> ext_used_ranges(const fs::path& file, std::uint64_t gap) {
  ext2_filsys opened = nullptr;
  check_read(::ext2fs_open(file.c_str(), EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &opened), file);
  const std::unique_ptr<struct_ext2_filsys, decltype(&::ext2fs_free)> owner(opened, &::ext2fs_free);
  check_read(::ext2fs_read_block_bitmap(opened), file);
  std::vector<Extent> ranges = {{0, opened->blocksize}};  // blocks of 1 KiB: the boot block is outside the bitmap
  const blk64_t blocks = ::ext2fs_blocks_count(opened->super);
  for (blk64_t block = opened->super->s_first_data_block; block < blocks; ++block) {
    if (::ext2fs_test_block_bitmap2(opened->block_map, block) != 0) {
      join_range(ranges, {block * opened->blocksize, opened->blocksize}, gap);
    }
  }
  return ranges;
}

}  // namespace hearth::builder
