#include "bootstrap/conductor/raid_plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::uint64_t k_bytes_of_gib = std::uint64_t{1} << 30U;
constexpr std::uint64_t k_stripe = std::uint64_t{64} << 20U;  ///< Ironic's: what sizes are rounded by

struct Level {
  const char* name;
  const char* type;
  std::size_t least, most, spare;  ///< drives of each span; those that hold no data of it
  bool spanned;
};

constexpr auto k_levels = std::to_array<Level>({{"0", "RAID0", 1, 1000, 0, false},
                                                {"1", "RAID1", 2, 2, 1, false},
                                                {"5", "RAID5", 3, 1000, 1, false},
                                                {"6", "RAID6", 4, 1000, 2, false},
                                                {"1+0", "RAID10", 2, 2, 1, true},
                                                {"5+0", "RAID50", 3, 1000, 1, true},
                                                {"6+0", "RAID60", 4, 1000, 2, true}});

/// A logical disk that is being laid.
struct LogicalDisk {
  const Level* level;
  std::optional<std::uint64_t> bytes;  ///< nothing = all there is
  std::vector<std::string> ids;        ///< the drives, where they are named
  std::size_t count = 0;               ///< how many it is to have; 0 = the fewest that do
  bool root = false, shares = false;
  std::string name, controller, media, protocol;
};

using FreeBytes = std::map<std::string, std::uint64_t>;  ///< path of a drive → bytes
using Group = std::vector<const Drive*>;                 ///< alike, behind one controller

/// What keeps a wish from being laid.
struct Unfit {
  std::string why;
};

const Level& level_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Level& level : k_levels) {
    if (level.name == name) return level;
    known.emplace_back(level.name);
  }
  throw Unfit{cat("RAID level ", name, " is not supported by the driver. Supported RAID levels: ", join(known, ", "))};
}

std::size_t spans_of(const Level& level, std::size_t drives) {
  if (!level.spanned) return 1;
  return level.name == std::string_view("1+0") ? drives / 2 : 2;
}

LogicalDisk wish_of(const Json& disk) {
  LogicalDisk wish{.level = &level_named(disk["raid_level"].get<std::string>()), .bytes = {}};
  if (disk["size_gb"].is_number())
    wish.bytes = std::min(disk["size_gb"].get<std::uint64_t>(), UINT64_MAX / 2 / k_bytes_of_gib) * k_bytes_of_gib;
  if (wish.bytes == 0U) throw Unfit{cat("a logical disk of no size: ", format_json(disk))};
  wish.ids = disk.value("physical_disks", std::vector<std::string>());
  wish.count = disk.value("number_of_physical_disks", std::size_t{0});
  wish.root = disk.value("is_root_volume", false);
  wish.shares = disk.value("share_physical_disks", false);
  wish.name = disk.value("volume_name", "");
  wish.controller = disk.value("controller", "");
  wish.media = disk.value("disk_type", "");
  wish.protocol = disk.value("interface_type", "");
  if (!wish.bytes && wish.ids.empty()) {
    throw Unfit{
        cat("create_configuration called with invalid target_raid_configuration. 'physical_disks' is missing "
            "from logical_disk while 'size_gb'='MAX' was requested: ",
            format_json(disk))};
  }
  return wish;
}

/// What the drives hold of such a volume, all of the same free size.
std::uint64_t room_on(const Level& level, const Group& drives, const FreeBytes& free) {
  const std::size_t spare = level.spare * spans_of(level, drives.size());
  if (drives.size() <= spare) {
    throw Unfit{cat("The number of physical drives (", drives.size(),
                    ") is too few for the required number of overhead drives (", spare, ")")};
  }
  std::uint64_t least = UINT64_MAX;
  for (const Drive* drive : drives) least = std::min(least, free.at(drive->path));
  return least / k_stripe * k_stripe * (drives.size() - spare);
}

/// Takes the room that the volume needs from `free`. Throws Unfit.
PlannedVolume lay(const LogicalDisk& wish, const Group& drives, FreeBytes& free) {
  const Level& level = *wish.level;
  const std::size_t spans = spans_of(level, drives.size());
  if (spans == 0 || drives.size() % spans != 0) {
    throw Unfit{cat("For RAID level ", level.name, ", the number of physical disks provided (", drives.size(),
                    ") must be a multiple of the spans count (", spans, ")")};
  }
  if (level.spanned && spans < 2) throw Unfit{"Spanned RAID volumes cannot contain a single span"};
  if (drives.size() < level.least * spans || drives.size() > level.most * spans)
    throw Unfit{cat("RAID level ", level.name, " is not made of ", drives.size(), " physical disks")};
  const std::uint64_t room = room_on(level, drives, free);
  if (!wish.bytes && room == 0) throw Unfit{"size set to 'MAX' but could not allocate physical disk space"};
  const std::uint64_t bytes = wish.bytes.value_or(room);
  if (bytes > room) {
    throw Unfit{cat("The physical disk space (", room, " bytes) is not enough for the size of the logical disk (",
                    bytes, " bytes)")};
  }
  const std::size_t data = drives.size() - level.spare * spans;
  const std::uint64_t stripes = (bytes + k_stripe - 1) / k_stripe;
  const std::uint64_t each = (stripes + data - 1) / data * k_stripe;
  PlannedVolume made{{drives.front()->controller, level.type, wish.name, wish.bytes ? bytes : 0, {}}, wish.root};
  for (const Drive* drive : drives) {
    free[drive->path] -= std::min(each, free[drive->path]);
    made.wish.drives.push_back(drive->path);
  }
  return made;
}

class Layer {
 public:
  explicit Layer(const RaidHardware& hardware) {
    for (const Drive& drive : hardware.drives) {
      const bool taken = std::any_of(hardware.volumes.begin(), hardware.volumes.end(), [&](const Volume& volume) {
        return std::find(volume.drives.begin(), volume.drives.end(), drive.path) != volume.drives.end();
      });
      if (taken || drive.bytes == 0) continue;
      free_[drive.path] = drive.bytes;
      all_.push_back(&drive);
    }
  }

  /// Those with named drives and sizes first, then those that find theirs, then those that take what is left.
  std::vector<PlannedVolume> lay_all(const std::vector<LogicalDisk>& wishes) {
    for (const LogicalDisk& wish : wishes) reserve(wish);
    lay_named(wishes, true);
    std::vector<const LogicalDisk*> open;
    for (const LogicalDisk& wish : wishes) {
      if (wish.ids.empty()) open.push_back(&wish);
    }
    std::vector<PlannedVolume> found;
    if (!open.empty() && !find(open, 0, free_, found)) {
      only_for_rest_.clear();  // what one that takes the rest could share
      found.clear();
      if (!find(open, 0, free_, found)) throw Unfit{"failed to find matching physical disks for all logical disks"};
    }
    done_.insert(done_.end(), found.begin(), found.end());
    lay_named(wishes, false);
    return done_;
  }

 private:
  void reserve(const LogicalDisk& wish) {
    for (const std::string& id : wish.ids) {
      if (!wish.shares) named_.push_back(id);
      if (wish.shares && !wish.bytes) only_for_rest_.push_back(id);
    }
  }

  void lay_named(const std::vector<LogicalDisk>& wishes, bool sized) {
    for (const LogicalDisk& wish : wishes) {
      if (wish.ids.empty() || wish.bytes.has_value() != sized) continue;
      Group drives;
      for (const std::string& id : wish.ids) {
        drives.push_back(&drive_named(id, wish.controller));
        take(*drives.back(), wish);
      }
      done_.push_back(lay(wish, drives, free_));
    }
  }

  /// Named twice, it is one disk still; and whose volume does not share it has it alone.
  void take(const Drive& drive, const LogicalDisk& wish) {
    for (const auto& [other, by] : takers_) {
      if (other == &drive && (by == &wish || !by->shares || !wish.shares))
        throw Unfit{cat("the physical disk ", drive.id, " is named more than once, and not shared")};
    }
    takers_.emplace_back(&drive, &wish);
  }

  const Drive& drive_named(const std::string& id, const std::string& controller) const {
    for (const Drive* drive : all_) {
      if (drive->id == id && drive->controller == controller) return *drive;
    }
    throw Unfit{cat("controller ", controller, " has no free physical disk ", id)};
  }

  [[nodiscard]] std::vector<Group> groups_for(const LogicalDisk& wish, const FreeBytes& free) const {
    std::map<std::array<std::string, 4>, Group> groups;
    const auto is_one = [](const std::vector<std::string>& list, const std::string& id) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    for (const Drive* drive : all_) {
      const std::uint64_t left = free.at(drive->path);
      const bool fits = (wish.media.empty() || to_lower(drive->media) == wish.media) &&
                        (wish.protocol.empty() || to_lower(drive->protocol) == wish.protocol) &&
                        (wish.controller.empty() || drive->controller == wish.controller);
      const bool usable = left > 0 && (wish.shares || left == drive->bytes) && !is_one(named_, drive->id) &&
                          !is_one(only_for_rest_, drive->id);
      if (fits && usable)
        groups[{drive->controller, drive->media, drive->protocol, std::to_string(drive->bytes)}].push_back(drive);
    }
    std::vector<Group> found;
    for (auto& [kind, group] : groups) {
      std::stable_sort(group.begin(), group.end(),
                       [&](const Drive* a, const Drive* b) { return free.at(a->path) < free.at(b->path); });
      found.push_back(group);
    }
    return found;
  }

  /// Lays wishes[at] and those behind it, each on the fewest drives that leave room for the others.
  bool find(const std::vector<const LogicalDisk*>& wishes, std::size_t at, const FreeBytes& free,
            std::vector<PlannedVolume>& found) {
    if (at == wishes.size()) return true;
    if (++tries_ > 20'000) throw Unfit{"there are too many ways to lay these logical disks: name physical_disks"};
    const LogicalDisk& wish = *wishes[at];
    for (const Group& group : groups_for(wish, free)) {
      for (std::size_t count = 1; count <= group.size(); ++count) {
        if (wish.count != 0 && count != wish.count) continue;
        FreeBytes left = free;
        try {
          found.push_back(lay(wish, Group(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(count)), left));
        } catch (const Unfit&) {
          continue;
        }
        if (find(wishes, at + 1, left, found)) return true;
        found.pop_back();
      }
    }
    return false;
  }

  FreeBytes free_;
  Group all_;
  std::vector<std::string> named_;          ///< ids that are somebody's alone
  std::vector<std::string> only_for_rest_;  ///< ids that one takes the rest of: others come last
  std::vector<std::pair<const Drive*, const LogicalDisk*>> takers_;  ///< by name
  std::vector<PlannedVolume> done_;
  int tries_ = 0;
};

}  // namespace

RaidPlan plan_raid(const Json& disks, const RaidHardware& hardware) {
  RaidPlan plan;
  try {
    std::vector<LogicalDisk> wishes;
    for (const Json& disk : disks) wishes.push_back(wish_of(disk));
    plan.volumes = Layer(hardware).lay_all(wishes);
  } catch (const Unfit& unfit) {
    plan.volumes.clear();
    plan.fault = unfit.why;
  }
  return plan;
}

std::string raid_level_of(const std::string& type) {
  for (const Level& level : k_levels) {
    if (level.type == type) return level.name;
  }
  return "";
}

}  // namespace hearth::bootstrap
