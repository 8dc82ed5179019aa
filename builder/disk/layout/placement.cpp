#include "builder/disk/layout/placement.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/volume_sizes.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_placement_mib = 1 << 20;
constexpr std::uint64_t k_placement_sector = 512;

Error does_not_fit(const Partition& partition, std::uint64_t wanted, std::uint64_t free) {
  return Error(ErrorKind::input,
               cat("The requested size of the image is smaller than the block device configuration: "
                   "partition ",
                   partition.name, " needs ", human_bytes(wanted), ", ", human_bytes(free), " are free"))
      .hint("Give a larger --image-size, or make the partitions smaller.");
}

/// Bytes of a size when `free` bytes are left.
std::uint64_t resolve(const SizeSpec& size, std::uint64_t free) {
  if (const auto* bytes = std::get_if<std::uint64_t>(&size)) return *bytes;
  const double share = std::get<Percent>(size).value;
  return share >= 100 ? free : static_cast<std::uint64_t>(static_cast<double>(free) * share / 100.0);
}

/// Bytes between the end of what is placed already and the begin that the layout gives a partition.
std::uint64_t gap_before(const Partition& partition, std::uint64_t end) {
  if (!partition.start) return 0;
  if (*partition.start >= end) return *partition.start - end;
  throw Error(ErrorKind::input, cat("partition ", partition.name, " begins at ", *partition.start,
                                    ", where the disk is taken up to ", end, ": they overlap"))
      .hint("Give partitions in the order in which they lie, each behind the one before.");
}

Placement place_gpt(const DiskLayout& layout, std::uint64_t disk_bytes) {
  Placement placement{.disk_bytes = disk_bytes};
  std::uint64_t start = k_placement_mib;
  std::uint64_t free = disk_bytes < 2 * k_placement_mib ? 0 : disk_bytes - 2 * k_placement_mib;
  for (const Partition& partition : layout.partitions) {
    const std::uint64_t gap = gap_before(partition, start);
    if (gap > free) throw does_not_fit(partition, gap, free);
    start += gap;
    free -= gap;
    const std::uint64_t length = resolve(partition.size, free) / k_placement_mib * k_placement_mib;
    if (length == 0 || length > free) throw does_not_fit(partition, std::max(length, k_placement_mib), free);
    placement.partitions.push_back({start, length});
    placement.numbers.push_back(static_cast<std::uint32_t>(placement.partitions.size()));
    start += length;
    free -= length;
  }
  return placement;
}

class MbrPlacer {
 public:
  MbrPlacer(const DiskLayout& layout, std::uint64_t disk_bytes)
      : layout_(layout), align_(layout.align), next_(layout.align) {
    placement_.disk_bytes = disk_bytes;
  }

  Placement place_all() {
    for (const Partition& partition : layout_.partitions) {
      next_ += gap_before(partition, next_);
      const std::uint64_t used = next_ + align_;  // the last aligned piece of a disk stays unused
      const std::uint64_t free = placement_.disk_bytes > used ? placement_.disk_bytes - used : 0;
      const std::uint64_t length = resolve(partition.size, free) / k_placement_sector * k_placement_sector;
      if (length == 0 || length > free) throw does_not_fit(partition, length, free);
      partition.primary ? add_primary(length) : add_logical(length);
    }
    return std::move(placement_);
  }

 private:
  void add_primary(std::uint64_t length) {
    placement_.partitions.push_back({next_, length});
    placement_.numbers.push_back(++primaries_);
    next_ = aligned(next_ + length);
  }

  void add_logical(std::uint64_t length) {
    if (!placement_.extended) placement_.extended = Extent{next_, placement_.disk_bytes - next_};
    placement_.ebr_offsets.push_back(next_);
    placement_.partitions.push_back({next_ + align_, length});
    placement_.numbers.push_back(4 + static_cast<std::uint32_t>(placement_.ebr_offsets.size()));
    next_ = aligned(next_ + align_ + length);
  }

  [[nodiscard]] std::uint64_t aligned(std::uint64_t offset) const { return (offset + align_ - 1) / align_ * align_; }

  const DiskLayout& layout_;
  std::uint64_t align_;
  std::uint64_t next_;
  std::uint32_t primaries_ = 0;
  Placement placement_;
};

}  // namespace

Extent Placement::of(const DiskFileSystem& file_system) const {
  if (!file_system.volume.empty()) return {0, volumes.at(file_system.volume)};
  return file_system.partition ? partitions.at(*file_system.partition) : Extent{0, disk_bytes};
}

Placement place(const DiskLayout& layout, std::uint64_t disk_bytes) {
  if (disk_bytes % layout.sector_size != 0) {
    throw Error(ErrorKind::input,
                cat("the disk's size ", disk_bytes, " is not a multiple of its sector size ", layout.sector_size));
  }
  Placement placement{.disk_bytes = disk_bytes};
  if (layout.table == PartitionTable::gpt) placement = place_gpt(layout, disk_bytes);
  if (layout.table == PartitionTable::mbr) placement = MbrPlacer(layout, disk_bytes).place_all();
  VolumeSizes volumes = volume_sizes(layout, placement.partitions);
  placement.volumes = std::move(volumes.bytes);
  placement.extents = std::move(volumes.extents);
  return placement;
}

}  // namespace hearth::builder
