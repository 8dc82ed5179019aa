#include "builder/qcow2/host_space.hpp"

#include "base/check.hpp"

namespace hearth::builder::qcow2 {

namespace {

constexpr std::uint64_t k_extent_clusters = 8;

}  // namespace

std::uint64_t HostSpace::cluster() {
  if (spare_.empty()) return clusters(1);
  const std::uint64_t offset = spare_.back();
  spare_.pop_back();
  check(references_[offset / k_cluster] == 0, "a spare cluster is nobody's", "offset", offset);
  references_[offset / k_cluster] = 1;
  return offset;
}

std::uint64_t HostSpace::clusters(std::uint64_t count) {
  if (count == 1 && !spare_.empty()) return cluster();
  const std::uint64_t offset = file_size();
  references_.resize(references_.size() + count, 1);
  return offset;
}

std::uint64_t HostSpace::packed(std::uint64_t bytes) {
  if (packed_ + bytes > packed_end_) {
    // An extent at the end of the file just grows; otherwise the rest of it (less than a cluster) stays unused.
    if (packed_end_ != file_size()) packed_ = file_size();
    references_.resize(references_.size() + k_extent_clusters, 0);
    packed_end_ = file_size();
  }
  const std::uint64_t offset = packed_;
  packed_ += bytes;
  check(packed_ <= packed_end_, "what is packed lies in its extent", "end", packed_, "extent", packed_end_);
  for (std::uint64_t at = offset / k_cluster; at <= (packed_ - 1) / k_cluster; ++at) ++references_[at];
  return offset;
}

void HostSpace::end_packing() {
  const std::uint64_t first_unused = divide_up(packed_, k_cluster);
  const std::uint64_t end = packed_end_ / k_cluster;
  if (packed_end_ == file_size() && end > first_unused) {
    references_.resize(first_unused);
  } else {
    for (std::uint64_t at = end; at > first_unused; --at) spare_.push_back((at - 1) * k_cluster);
  }
  packed_ = packed_end_ = 0;
}

RefcountNeeds refcount_needs(std::uint64_t clusters) {
  RefcountNeeds needs;
  while (true) {
    const std::uint64_t all = clusters + needs.blocks + needs.table_clusters;
    const std::uint64_t blocks = divide_up(all, k_refcounts_per_block);
    const RefcountNeeds more{blocks, divide_up(blocks, k_entries_per_table)};
    if (more == needs) return needs;
    needs = more;
  }
}

}  // namespace hearth::builder::qcow2
