// The disk that an image is written to. Its first mebibyte, where boot sector and partition table lie, is kept in
// memory until commit(): whatever goes wrong before, the machine can't boot half an image.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/fd.hpp"

namespace hearth::agent::deploy {

class DiskTarget {
 public:
  static constexpr std::uint64_t k_held = std::uint64_t{1} << 20U;

  /// A block device or, for tests, a file. Throws Error: input when it is in use, io.
  explicit DiskTarget(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Bytes of a logical sector; 0 for a file, which has none.
  [[nodiscard]] std::uint32_t sector() const { return sector_; }

  /// Throws Error(input) when `image_size` is too large.
  void check_room(std::uint64_t image_size) const;
  /// Takes the boot sector and the partition tables off the disk. Throws Error(input) when `image_size` is too large.
  void begin(std::uint64_t image_size);
  /// From any thread; ranges must not overlap. Fastest for memory and offsets that are multiples of 4096.
  void write(std::uint64_t offset, std::string_view bytes);
  /// From any thread: the range reads as zeros afterwards, without being written where the disk can do that.
  void zero(std::uint64_t offset, std::uint64_t length);
  /// Makes all durable, then writes the first mebibyte and has the kernel read the partition table.
  void commit();
  /// The first mebibyte as it will be.
  [[nodiscard]] std::string_view held() const { return held_; }

 private:
  void write_direct(std::uint64_t offset, std::string_view bytes);
  void zero_now(std::uint64_t offset, std::uint64_t length);
  void wipe_ends();
  void check_range(std::uint64_t offset, std::uint64_t length) const;

  std::string path_;
  Fd direct_;  ///< past the page cache, where the disk allows that
  Fd plain_;
  bool is_device_ = false;
  std::uint64_t size_ = 0;
  std::uint32_t sector_ = 0;
  std::mutex held_lock_;
  std::string held_;
};

/// Opens a disk or a file to be overwritten. A disk that is mounted, in part even, or belongs to RAID, LVM or multipath
/// is refused by Error(input).
[[nodiscard]] Fd open_exclusively(const std::string& path);

/// Has the kernel read a disk's partition table anew; a kernel that is busy is asked again for two seconds. Whoever has
/// it open exclusively must ask by that descriptor.
void reread_partitions(const Fd& fd, const std::string& disk);
void reread_partitions(const std::string& disk);

}  // namespace hearth::agent::deploy
