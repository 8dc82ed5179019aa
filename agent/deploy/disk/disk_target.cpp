#include "agent/deploy/disk/disk_target.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "agent/deploy/disk/buffer.hpp"
#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint64_t k_step = 4096;

std::uint64_t size_of(const Fd& fd, const std::string& path, bool device) {
  std::uint64_t bytes = 0;
  if (device) {
    if (::ioctl(fd.get(), BLKGETSIZE64, &bytes) != 0) throw Error::from_errno("asking for the size of", path);
    return bytes;
  }
  const off_t end = ::lseek(fd.get(), 0, SEEK_END);
  if (end < 0) throw Error::from_errno("asking for the size of", path);
  return static_cast<std::uint64_t>(end);
}

bool aligned(std::uint64_t value) { return value % k_step == 0; }

}  // namespace

Fd open_exclusively(const std::string& path) {
  try {
    return Fd::open(path, O_RDWR | O_EXCL);
  } catch (const Error& error) {
    if (error.system_error() != EBUSY) throw;
    throw Error(ErrorKind::input, cat(path, " is in use: nothing was written to it"))
        .hint("It, or a partition of it, is mounted, or belongs to RAID, LVM or multipath: take it out of use first.");
  }
}

DiskTarget::DiskTarget(const std::string& path) : path_(path), plain_(open_exclusively(path)) {
  struct stat status {};
  if (::fstat(plain_.get(), &status) != 0) throw Error::from_errno("looking at", path);
  is_device_ = S_ISBLK(status.st_mode);
  size_ = size_of(plain_, path, is_device_);
  int sector = 0;
  if (is_device_ && ::ioctl(plain_.get(), BLKSSZGET, &sector) == 0) sector_ = static_cast<std::uint32_t>(sector);
  try {
    direct_ = Fd::open(path, O_RDWR | O_DIRECT);
  } catch (const Error&) {
    direct_ = Fd();  // a file on a file system that always caches
  }
}

void DiskTarget::check_room(std::uint64_t image_size) const {
  if (image_size > size_) {
    throw Error(ErrorKind::input,
                cat("the disk ", path_, " is too small: it has ", size_, " bytes (", human_bytes(size_),
                    "), the image needs ", image_size, " (", human_bytes(image_size), ")"))
        .hint("Choose a larger disk by root device hints (a larger root_gb for a partition), or a smaller image.");
  }
}

void DiskTarget::begin(std::uint64_t image_size) {
  check_room(image_size);
  held_.assign(static_cast<std::size_t>(std::min(k_held, size_)), 0);
  wipe_ends();
}

void DiskTarget::wipe_ends() {
  const std::string zeros(static_cast<std::size_t>(std::min(k_held, size_)), 0);
  write_at(plain_, 0, zeros, path_);
  write_at(plain_, size_ - zeros.size(), zeros, path_);  // the second copy of a GPT
  if (::fsync(plain_.get()) != 0) throw Error::from_errno("writing to", path_);
}

/// Decoders refuse images that would.
void DiskTarget::check_range(std::uint64_t offset, std::uint64_t length) const {
  check(length <= size_ && offset <= size_ - length, "nothing is written past the end of a disk", "offset", offset,
        "length", length, "size", size_);
  check(held_.size() == std::min(k_held, size_), "nothing is written before the former tables are gone", "held",
        held_.size());
}

void DiskTarget::write(std::uint64_t offset, std::string_view bytes) {
  check_range(offset, bytes.size());
  if (offset < held_.size()) {
    const std::lock_guard lock(held_lock_);
    const std::size_t size = std::min<std::size_t>(bytes.size(), held_.size() - static_cast<std::size_t>(offset));
    std::memcpy(held_.data() + offset, bytes.data(), size);
    bytes.remove_prefix(size);
    offset += size;
  }
  if (!bytes.empty()) write_direct(offset, bytes);
}

void DiskTarget::write_direct(std::uint64_t offset, std::string_view bytes) {
  const std::size_t whole = direct_ && aligned(offset) && aligned(reinterpret_cast<std::uintptr_t>(bytes.data()))
                                ? bytes.size() / k_step * k_step
                                : 0;
  write_at(direct_, offset, bytes.substr(0, whole), path_);
  write_at(plain_, offset + whole, bytes.substr(whole), path_);
}

void DiskTarget::zero(std::uint64_t offset, std::uint64_t length) {
  check_range(offset, length);
  if (offset < held_.size()) {
    const std::lock_guard lock(held_lock_);
    const std::uint64_t size = std::min<std::uint64_t>(length, held_.size() - offset);
    std::memset(held_.data() + offset, 0, static_cast<std::size_t>(size));
    offset += size;
    length -= size;
  }
  if (length > 0) zero_now(offset, length);
}

void DiskTarget::zero_now(std::uint64_t offset, std::uint64_t length) {
  if (is_device_) {
    std::array<std::uint64_t, 2> range{offset, length};
    if (::ioctl(plain_.get(), BLKZEROOUT, range.data()) == 0) return;
  } else if (::fallocate(plain_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                         static_cast<off_t>(length)) == 0) {
    return;
  }
  Buffer zeros(k_block);
  std::memset(zeros.room().data(), 0, k_block);
  zeros.used = k_block;
  while (length > 0) {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(length, k_block));
    write_direct(offset, zeros.text().substr(0, size));
    offset += size;
    length -= size;
  }
}

void DiskTarget::commit() {
  if (::fsync(plain_.get()) != 0) throw Error::from_errno("writing to", path_);
  write_at(plain_, 0, held_, path_);
  if (::fsync(plain_.get()) != 0) throw Error::from_errno("writing to", path_);
  if (is_device_) reread_partitions(plain_, path_);
}

void reread_partitions(const std::string& disk) { reread_partitions(Fd::open(disk, O_RDONLY), disk); }

void reread_partitions(const Fd& fd, const std::string& disk) {
  SystemClock clock;
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (::ioctl(fd.get(), BLKRRPART, 0) == 0) return;
    if (errno != EBUSY) break;
    clock.sleep(std::chrono::milliseconds(100));
  }
  if (errno != EINVAL && errno != ENOTTY) throw Error::from_errno("reading the partition table of", disk);
}

}  // namespace hearth::agent::deploy
