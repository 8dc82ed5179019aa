#include "builder/qcow2/raw_source.hpp"

#include <algorithm>

namespace hearth::builder::qcow2 {

bool RawSource::find_data() {
  if (!skip_holes_) {
    data_end_ = size_;
    return position_ < size_;
  }
  const std::optional<Stretch> data = disk_->data_from(position_);
  if (!data) return false;
  position_ = std::max(position_, data->begin / k_cluster * k_cluster);
  data_end_ = data->end;
  return true;
}

std::optional<Batch> RawSource::next() {
  while (position_ < size_ && position_ >= data_end_) {
    if (!find_data()) position_ = size_;
  }
  if (position_ >= size_) return std::nullopt;
  const std::uint64_t left = (std::min(data_end_, size_) - position_ + k_cluster - 1) / k_cluster;
  const Batch batch{number_++, position_ / k_cluster, std::min(left, k_batch_clusters)};
  position_ += batch.clusters * k_cluster;
  return batch;
}

}  // namespace hearth::builder::qcow2
