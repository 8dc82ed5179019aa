// The raw disk, cut into batches of clusters that may hold data. Holes are not even read.
#pragma once

#include <cstdint>
#include <optional>

#include "builder/qcow2/disk_format.hpp"
#include "builder/qcow2/raw_disk.hpp"

namespace hearth::builder::qcow2 {

constexpr std::uint64_t k_batch_clusters = 16;

struct Batch {
  std::uint64_t number = 0;         ///< counts from 0, in the order of the disk
  std::uint64_t first_cluster = 0;  ///< of the disk
  std::uint64_t clusters = 0;       ///< 1 to k_batch_clusters
};

class RawSource {
 public:
  /// `disk` is not owned. With `skip_holes` false everything is read (for a disk over a backing file).
  RawSource(const RawDisk& disk, bool skip_holes) : disk_(&disk), size_(disk.size()), skip_holes_(skip_holes) {}

  /// The next batch; nothing at the end. Not for use by two threads at once.
  [[nodiscard]] std::optional<Batch> next();

 private:
  [[nodiscard]] bool find_data();

  const RawDisk* disk_;
  std::uint64_t size_;  ///< bytes
  bool skip_holes_;
  std::uint64_t number_ = 0;
  std::uint64_t position_ = 0;  ///< bytes, a multiple of the cluster size
  std::uint64_t data_end_ = 0;  ///< bytes; the stretch of data at position_ goes up to here
};

}  // namespace hearth::builder::qcow2
