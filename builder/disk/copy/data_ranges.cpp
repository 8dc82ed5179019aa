#include "builder/disk/copy/data_ranges.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder {

void join_range(std::vector<Extent>& ranges, Extent range, std::uint64_t gap) {
  if (!ranges.empty() && range.offset <= ranges.back().end() + gap) {
    ranges.back().length = range.end() - ranges.back().offset;
  } else {
    ranges.push_back(range);
  }
}

std::vector<Extent> data_ranges(const fs::path& file, std::uint64_t gap) {
  const Fd fd = Fd::open(file.string(), O_RDONLY);
  std::vector<Extent> ranges;
  off_t data = ::lseek(fd.get(), 0, SEEK_DATA);
  while (data >= 0) {
    const off_t hole = ::lseek(fd.get(), data, SEEK_HOLE);
    if (hole < 0) throw Error::from_errno("reading", file.string());
    join_range(ranges, {static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole - data)}, gap);
    data = ::lseek(fd.get(), hole, SEEK_DATA);
  }
  if (errno != ENXIO) throw Error::from_errno("reading", file.string());
  return ranges;
}

}  // namespace hearth::builder
