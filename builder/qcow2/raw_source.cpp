#include "builder/qcow2/raw_source.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"

namespace hearth::builder::qcow2 {

bool RawSource::find_data() {
  if (!skip_holes_) {
    data_end_ = size_;
    return position_ < size_;
  }
  const off_t data = ::lseek(fd_->get(), static_cast<off_t>(position_), SEEK_DATA);
  if (data < 0) {
    if (errno == ENXIO) return false;  // only a hole up to the end
    throw Error::from_errno("finding the data of", "the raw disk");
  }
  const off_t hole = ::lseek(fd_->get(), data, SEEK_HOLE);
  if (hole < 0) throw Error::from_errno("finding the data of", "the raw disk");
  position_ = std::max(position_, static_cast<std::uint64_t>(data) / k_cluster * k_cluster);
  data_end_ = static_cast<std::uint64_t>(hole);
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

void read_clusters(const Fd& fd, std::uint64_t offset, std::span<std::uint8_t> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got =
        ::pread(fd.get(), buffer.data() + filled, buffer.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno("reading", "the raw disk");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  std::fill(buffer.begin() + static_cast<std::ptrdiff_t>(filled), buffer.end(), std::uint8_t{0});
}

}  // namespace hearth::builder::qcow2
