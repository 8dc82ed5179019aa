// Where things lie in the file that is being written. Compressed clusters are packed byte by byte into extents; what
// needs whole clusters (data that does not compress, tables) is laid between. Pure: it only counts.
#pragma once

#include <cstdint>
#include <vector>

#include "builder/qcow2/disk_format.hpp"

namespace hearth::builder::qcow2 {

class HostSpace {
 public:
  /// The first cluster is the header's.
  HostSpace() : references_{1} {}

  /// The offset of one whole cluster.
  [[nodiscard]] std::uint64_t cluster();
  /// The offset of `count` whole clusters in a row.
  [[nodiscard]] std::uint64_t clusters(std::uint64_t count);
  /// The offset of `bytes` (1 to a cluster) bytes; two requests in a row usually lie side by side.
  [[nodiscard]] std::uint64_t packed(std::uint64_t bytes);
  /// No more packed() after this: what is left of the extent is given back for whole clusters.
  void end_packing();

  /// One count for each cluster of the file.
  [[nodiscard]] const std::vector<std::uint16_t>& references() const { return references_; }
  [[nodiscard]] std::uint64_t file_size() const { return references_.size() * k_cluster; }

 private:
  std::vector<std::uint16_t> references_;
  std::uint64_t packed_ = 0;          ///< the next byte of the extent
  std::uint64_t packed_end_ = 0;      ///< where the extent ends
  std::vector<std::uint64_t> spare_;  ///< whole clusters that an extent did not need; the last is used first
};

/// The number of refcount blocks, and of clusters for their table, for a file of `clusters` clusters that shall hold
/// those blocks and that table besides.
struct RefcountNeeds {
  std::uint64_t blocks = 0;
  std::uint64_t table_clusters = 0;
  bool operator==(const RefcountNeeds&) const = default;
};
[[nodiscard]] RefcountNeeds refcount_needs(std::uint64_t clusters);

}  // namespace hearth::builder::qcow2
