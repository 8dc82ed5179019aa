#include "builder/disk/copy/sparse_copy.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_copied_at_once = std::size_t{1} << 20U;

void copy_range(const Fd& from, const Fd& to, off_t begin, off_t end, off_t shift) {
  std::vector<char> buffer(k_copied_at_once);
  while (begin < end) {
    const auto wanted = static_cast<std::size_t>(std::min<off_t>(end - begin, static_cast<off_t>(k_copied_at_once)));
    const ssize_t got = ::pread(from.get(), buffer.data(), wanted, begin);
    if (got <= 0) throw Error::from_errno("reading", "a scratch file");
    const ssize_t written = ::pwrite(to.get(), buffer.data(), static_cast<std::size_t>(got), begin + shift);
    if (written <= 0) throw Error::from_errno("writing", "the image");
    begin += written;
  }
}

}  // namespace

void create_sparse_file(const fs::path& path, std::uint64_t bytes) {
  Fd fd = Fd::open(path.string(), O_CREAT | O_TRUNC | O_RDWR, 0644);
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) throw Error::from_errno("sizing", path.string());
  fd.close();
}

void copy_sparse(const fs::path& from, const fs::path& to, std::uint64_t offset) {
  const Fd source = Fd::open(from.string(), O_RDONLY);
  const Fd target = Fd::open(to.string(), O_WRONLY);
  off_t data = ::lseek(source.get(), 0, SEEK_DATA);
  while (data >= 0) {
    const off_t hole = ::lseek(source.get(), data, SEEK_HOLE);
    if (hole < 0) throw Error::from_errno("reading", from.string());
    copy_range(source, target, data, hole, static_cast<off_t>(offset));
    data = ::lseek(source.get(), hole, SEEK_DATA);
  }
  if (errno != ENXIO) throw Error::from_errno("reading", from.string());  // ENXIO: no data behind here
}

}  // namespace hearth::builder
