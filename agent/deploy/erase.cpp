#include "agent/deploy/erase.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "agent/deploy/disk/disk_target.hpp"
#include "agent/deploy/disk/gpt.hpp"
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

/// A disk that can't be erased must not pass for an erased one.
Fd open_to_erase(const Disk& disk) {
  if (disk.read_only) {
    throw Error(ErrorKind::input, cat(disk.name, " is read-only: nothing of it was erased"))
        .hint("Take its write protection away, or the disk out of the machine.");
  }
  return open_exclusively(disk.name);
}

/// A look at both ends and at places between them, past the page cache.
bool reads_as_zeros(const Fd& fd, const Disk& disk) {
  constexpr std::uint64_t places = 256;
  constexpr std::uint64_t sample = std::uint64_t{64} << 10U;
  ::fsync(fd.get());
  ::ioctl(fd.get(), BLKFLSBUF, 0);
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  std::string bytes(static_cast<std::size_t>(std::min(sample, disk.size)), 0);
  const std::uint64_t last = disk.size - bytes.size();
  for (std::uint64_t place = 0; place <= places; ++place) {
    const std::uint64_t offset = last / places * place + (place == places ? last % places : 0);
    const ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got != static_cast<ssize_t>(bytes.size())) throw Error::from_errno("reading back", disk.name);
    if (bytes.find_first_not_of('\0') != std::string::npos) return false;
  }
  return true;
}

/// A drive that has a new key may answer with noise, or refuse to read what was not written since.
bool is_empty_now(const Fd& fd, const Disk& disk) {
  try {
    return reads_as_zeros(fd, disk);
  } catch (const Error&) {
    return false;
  }
}

void overwrite(const Fd& fd, const Disk& disk) {
  std::array<std::uint64_t, 2> range{0, disk.size};
  // Blocks that the disk keeps in reserve go by the first only, but a disk need not say what it reads as afterwards.
  const bool discarded = ::ioctl(fd.get(), BLKSECDISCARD, range.data()) == 0;
  if (!discarded || !reads_as_zeros(fd, disk)) {
    if (::ioctl(fd.get(), BLKZEROOUT, range.data()) != 0 || !reads_as_zeros(fd, disk)) {
      write_zeros(fd, disk.name, 0, disk.size);
    }
  }
  if (::fsync(fd.get()) != 0) throw Error::from_errno("erasing", disk.name);
  if (!reads_as_zeros(fd, disk)) {
    throw Error(ErrorKind::io, cat("erasing ", disk.name, ": the disk says that it is done, but it still holds data"))
        .hint("Replace the disk, or destroy it.");
  }
}

}  // namespace

void erase_metadata(const Disk& disk) {
  const Fd fd = open_to_erase(disk);
  erase_partition_edges(fd, disk);
  erase_edges(fd, disk, 0, disk.size);
  if (::fsync(fd.get()) != 0) throw Error::from_errno("erasing", disk.name);
  reread_partitions(fd, disk.name);
}

void erase_all(const Disk& disk, const DriveErase& wish, Clock& clock,
               const std::function<void(const std::string&)>& say) {
  const Fd fd = open_to_erase(disk);
  RealDrive drive(fd, disk.name);
  if (erase_by_drive(disk, drive, wish, clock, say)) {
    if (is_empty_now(fd, disk)) return reread_partitions(fd, disk.name);
    say(cat(disk.name, " does not read as zeros after it erased itself: writing them"));
  }
  overwrite(fd, disk);
  reread_partitions(fd, disk.name);
}

}  // namespace hearth::agent::deploy
