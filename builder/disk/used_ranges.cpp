#include "builder/disk/used_ranges.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <memory>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "builder/disk/ext_file_system.hpp"

namespace hearth::builder {

namespace {

void add(std::vector<Extent>& ranges, Extent range, std::uint64_t gap) {
  if (!ranges.empty() && range.offset <= ranges.back().end() + gap) {
    ranges.back().length = range.end() - ranges.back().offset;
  } else {
    ranges.push_back(range);
  }
}

void check_read(errcode_t code, const fs::path& file) {
  if (code != 0) throw Error(ErrorKind::io, cat("reading the file system ", file.string(), ": ", ext_error_text(code)));
}

}  // namespace

std::vector<Extent> data_ranges(const fs::path& file, std::uint64_t gap) {
  const Fd fd = Fd::open(file.string(), O_RDONLY);
  std::vector<Extent> ranges;
  off_t data = ::lseek(fd.get(), 0, SEEK_DATA);
  while (data >= 0) {
    const off_t hole = ::lseek(fd.get(), data, SEEK_HOLE);
    if (hole < 0) throw Error::from_errno("reading", file.string());
    add(ranges, {static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole - data)}, gap);
    data = ::lseek(fd.get(), hole, SEEK_DATA);
  }
  if (errno != ENXIO) throw Error::from_errno("reading", file.string());
  return ranges;
}

std::vector<Extent> ext_used_ranges(const fs::path& file, std::uint64_t gap) {
  ext2_filsys opened = nullptr;
  check_read(::ext2fs_open(file.c_str(), EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &opened), file);
  const std::unique_ptr<struct_ext2_filsys, decltype(&::ext2fs_free)> owner(opened, &::ext2fs_free);
  check_read(::ext2fs_read_block_bitmap(opened), file);
  std::vector<Extent> ranges = {{0, opened->blocksize}};  // blocks of 1 KiB: the boot block is outside the bitmap
  const blk64_t blocks = ::ext2fs_blocks_count(opened->super);
  for (blk64_t block = opened->super->s_first_data_block; block < blocks; ++block) {
    if (::ext2fs_test_block_bitmap2(opened->block_map, block) != 0) {
      add(ranges, {block * opened->blocksize, opened->blocksize}, gap);
    }
  }
  return ranges;
}

}  // namespace hearth::builder
