#include "agent/deploy/erase.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "agent/deploy/image/disk_target.hpp"
#include "agent/deploy/partition/gpt.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint64_t k_edge = std::uint64_t{4} << 20U;

void write_zeros(const Fd& fd, const std::string& path, std::uint64_t offset, std::uint64_t length) {
  const std::string zeros(static_cast<std::size_t>(k_edge), 0);
  while (length > 0) {
    const std::uint64_t size = std::min(length, k_edge);
    if (::pwrite(fd.get(), zeros.data(), static_cast<std::size_t>(size), static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(size)) {
      throw Error::from_errno("erasing", path);
    }
    offset += size;
    length -= size;
  }
}

void erase_edges(const Fd& fd, const Disk& disk, std::uint64_t begin, std::uint64_t end) {
  end = std::min(end, disk.size);
  if (begin >= end) return;
  const std::uint64_t size = std::min(k_edge, end - begin);
  write_zeros(fd, disk.name, begin, size);
  write_zeros(fd, disk.name, end - size, size);
}

void erase_partition_edges(const Fd& fd, const Disk& disk) {
  std::string front(static_cast<std::size_t>(std::min<std::uint64_t>(DiskTarget::k_held, disk.size)), 0);
  if (::pread(fd.get(), front.data(), front.size(), 0) < 0) throw Error::from_errno("reading", disk.name);
  const std::uint64_t sector = disk.logical_sector;
  if (const std::optional<Gpt> gpt = Gpt::parse(front, disk.logical_sector)) {
    for (const GptEntry& entry : gpt->entries()) erase_edges(fd, disk, entry.first * sector, (entry.last + 1) * sector);
  }
  for (const MbrEntry& entry : parse_mbr(front)) {
    const std::uint64_t begin = entry.first * sector;
    erase_edges(fd, disk, begin, begin + entry.sectors * sector);
  }
}

}  // namespace

void erase_metadata(const Disk& disk) {
  if (disk.read_only) return;
  const Fd fd = Fd::open(disk.name, O_RDWR);
  erase_partition_edges(fd, disk);
  erase_edges(fd, disk, 0, disk.size);
  if (::fsync(fd.get()) != 0) throw Error::from_errno("erasing", disk.name);
  reread_partitions(disk.name);
}

void erase_all(const Disk& disk) {
  if (disk.read_only) return;
  const Fd fd = Fd::open(disk.name, O_RDWR);
  std::array<std::uint64_t, 2> range{0, disk.size};
  if (::ioctl(fd.get(), BLKSECDISCARD, range.data()) != 0) {
    if (::ioctl(fd.get(), BLKZEROOUT, range.data()) != 0) write_zeros(fd, disk.name, 0, disk.size);
  }
  if (::fsync(fd.get()) != 0) throw Error::from_errno("erasing", disk.name);
  reread_partitions(disk.name);
}

}  // namespace hearth::agent::deploy
