#include "builder/disk/layout/volume_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_growth_chunk = std::uint64_t{512} << 10U;  // mdadm's own for striped levels
constexpr std::uint64_t k_least = std::uint64_t{1} << 20U;

std::uint64_t thin_metadata_extents(std::uint64_t data_extents) {
  return thin_metadata_bytes(data_extents * k_lvm_extent) / k_lvm_extent;
}

class Sizer {
 public:
  Sizer(const DiskLayout& layout, const std::vector<Extent>& partitions) : layout_(layout), volumes_(layout.volumes) {
    for (std::size_t i = 0; i < layout.partitions.size() && i < partitions.size(); ++i) {
      partitions_[layout.partitions[i].name] = partitions[i].length;
    }
  }

  VolumeSizes run() {
    for (const RaidArray& array : volumes_.arrays) (void)bytes_of(array.name);
    for (const LuksVolume& volume : volumes_.encrypted) (void)bytes_of(volume.name);
    for (const VolumeGroup& group : volumes_.groups) divide(group);
    return std::move(sizes_);
  }

 private:
  std::uint64_t bytes_of(const std::string& name) {
    if (const auto known = sizes_.bytes.find(name); known != sizes_.bytes.end()) return known->second;
    if (const auto known = partitions_.find(name); known != partitions_.end()) return known->second;
    for (const RaidArray& array : volumes_.arrays) {
      if (array.name == name) return sizes_.bytes[name] = array_bytes(array);
    }
    for (const LuksVolume& volume : volumes_.encrypted) {
      if (volume.name != name) continue;
      const std::uint64_t header = volume.version == "luks1" ? k_luks1_header : k_luks2_header;
      return sizes_.bytes[name] = less(bytes_of(volume.base), header, name);
    }
    for (const LogicalVolume& volume : volumes_.logical) {
      if (volume.name == name) divide(volumes_.group(volume.group));
    }
    return sizes_.bytes[name];
  }

  static std::uint64_t less(std::uint64_t bytes, std::uint64_t header, const std::string& name) {
    if (bytes >= header + k_least) return bytes - header;
    throw Error(ErrorKind::input, cat("the volume ", name, " has no room: its base has ", human_bytes(bytes),
                                      ", its header alone takes ", human_bytes(header)));
  }

  std::uint64_t array_bytes(const RaidArray& array) {
    std::uint64_t member = UINT64_MAX;
    for (const std::string& each : array.members) member = std::min(member, bytes_of(each));
    // Room for the superblock and, so that the size is a round one, up to one chunk more, at either end.
    member = less(member, k_volume_align, array.name) / k_volume_align * k_volume_align;
    const std::uint64_t count = array.members.size();
    if (array.level == "1") return member;
    member = member / k_growth_chunk * k_growth_chunk;
    if (array.level == "0") return member * count;
    if (array.level == "10") return member * count / 2 / k_growth_chunk * k_growth_chunk;
    return member * (count - (array.level == "6" ? 2 : 1));
  }

  std::uint64_t group_extents(const VolumeGroup& group) {
    std::uint64_t total = 0;
    for (const PhysicalVolume& volume : volumes_.physical) {
      if (std::find(group.members.begin(), group.members.end(), volume.name) == group.members.end()) continue;
      const std::uint64_t bytes = bytes_of(volume.base);
      total += bytes > k_volume_align ? (bytes - k_volume_align) / k_lvm_extent : 0;
    }
    return total;
  }

  /// Gives every volume of a group its extents, in order.
  void divide(const VolumeGroup& group) {
    if (!divided_.insert(group.name).second) return;
    const std::uint64_t total = group_extents(group);
    std::uint64_t free = total;
    for (const LogicalVolume& volume : volumes_.logical) {
      if (volume.group != group.name) continue;
      const std::string key = cat(group.name, "/", volume.name);
      if (volume.kind == LogicalVolume::Kind::thin) {
        sizes_.bytes[volume.name] = volume.bytes;
        continue;
      }
      std::uint64_t extents = wanted(volume, total, free);
      std::uint64_t taken = extents;
      if (volume.kind == LogicalVolume::Kind::thin_pool) {
        const std::uint64_t extra = 2 * thin_metadata_extents(extents);
        if (volume.share != LogicalVolume::Share::none && extents + extra > free) extents -= std::min(extents, extra);
        taken = extents + extra;
      }
      if (extents == 0 || taken > free) throw does_not_fit(volume, std::max<std::uint64_t>(taken, 1), free);
      free -= taken;
      sizes_.extents[key] = extents;
      sizes_.bytes[volume.name] = extents * k_lvm_extent;
    }
  }

  static std::uint64_t wanted(const LogicalVolume& volume, std::uint64_t total, std::uint64_t free) {
    if (volume.bytes > 0) return volume.bytes / k_lvm_extent;
    if (volume.extents > 0) return volume.extents;
    const bool of_free = volume.share == LogicalVolume::Share::free;
    return static_cast<std::uint64_t>(std::floor(static_cast<double>(of_free ? free : total) * volume.percent / 100.0));
  }

  static Error does_not_fit(const LogicalVolume& volume, std::uint64_t wanted, std::uint64_t free) {
    return Error(ErrorKind::input,
                 cat("the volume group ", volume.group, " can't hold its volume ", volume.name, ": ",
                     human_bytes(wanted * k_lvm_extent), " wanted, ", human_bytes(free * k_lvm_extent), " free"))
        .hint("Give a larger --image-size or partition, or make the volumes smaller.");
  }

  const DiskLayout& layout_;
  const Volumes& volumes_;
  std::map<std::string, std::uint64_t> partitions_;
  std::set<std::string> divided_;
  VolumeSizes sizes_;
};

}  // namespace

std::uint64_t thin_metadata_bytes(std::uint64_t pool) {
  constexpr std::uint64_t chunk = 64 << 10;
  constexpr std::uint64_t per_chunk = 64;
  const std::uint64_t bytes = (pool / chunk + 1) * per_chunk;
  return (bytes + k_lvm_extent - 1) / k_lvm_extent * k_lvm_extent;
}

VolumeSizes volume_sizes(const DiskLayout& layout, const std::vector<Extent>& partitions) {
  return Sizer(layout, partitions).run();
}

std::vector<std::string> bases_below(const Volumes& volumes, const std::string& name) {
  for (const RaidArray& array : volumes.arrays) {
    if (array.name == name) return array.members;
  }
  for (const LuksVolume& volume : volumes.encrypted) {
    if (volume.name == name) return {volume.base};
  }
  std::vector<std::string> bases;
  for (const LogicalVolume& volume : volumes.logical) {
    if (volume.name != name) continue;
    for (const VolumeGroup& group : volumes.groups) {
      for (const PhysicalVolume& physical : volumes.physical) {
        const bool member = std::find(group.members.begin(), group.members.end(), physical.name) != group.members.end();
        if (group.name == volume.group && member) bases.push_back(physical.base);
      }
    }
  }
  return bases;
}

}  // namespace hearth::builder
