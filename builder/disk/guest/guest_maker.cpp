#include "builder/disk/guest/guest_maker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/data_ranges.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/disk/ext/used_ranges.hpp"
#include "builder/disk/guest/guest_lvm.hpp"
#include "builder/disk/guest/guest_plan.hpp"
#include "builder/disk/guest/luks_noise.hpp"
#include "builder/disk/guest/md_superblock.hpp"
#include "builder/disk/guest/thin_metadata.hpp"
#include "builder/packing/tree_archive.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_joined_gap = std::uint64_t{256} << 10U;
constexpr std::uint64_t k_copy_block = std::uint64_t{1} << 20U;
constexpr std::size_t k_ranges_per_script = 200;

std::string drive_label(std::size_t index) {
  std::string label = "fs";
  for (const char digit : std::to_string(index)) label.push_back(static_cast<char>('a' + (digit - '0')));
  return label;
}

class Maker {
 public:
  Maker(const fs::path& tree, const DiskLayout& layout, const Placement& placement, const fs::path& raw,
        const GuestOptions& options, CommandRunner& runner)
      : tree_(tree), layout_(layout), placement_(placement), raw_(raw), options_(options), runner_(runner) {}

  void run() {
    const KeyOf key_of = [this](const LuksVolume& volume) { return key_of_volume(volume, tree_); };
    inside_ = made_inside();
    const GuestPlan plan = plan_guest(layout_, placement_, key_of, options_.reproducible, inside_);
    make_outside_parts(plan);
    for (const GuestNoise& noise : plan.noise) add_noise(noise);
    say("starting libguestfs' appliance");
    const std::unique_ptr<Guest> guest = options_.start(drives_);
    guest->run(cat("date -u -s @", options_.epoch, "\n"));  // what the kernel stamps is what it can be: the epoch
    for (const GuestStep& step : plan.build) perform(*guest, step);
    for (const GuestFill& fill : plan.fills) perform(*guest, fill);
    for (const DeviceHook& hook : options_.hooks) say(cat("running ", hook.label, " against the disk"));
    for (const std::string& line : split_lines(run_device_hooks(*guest, options_.hooks, layout_, placement_)))
      say(line);
    take_down_volumes(*guest, layout_.volumes);
    guest->close();
    for (const RaidArray& array : layout_.volumes.arrays) fix_members(array);
    settle_thin_pools(raw_, layout_, placement_, options_.scratch, runner_,
                      [this](std::string_view what) { say(what); });
  }

 private:
  void say(std::string_view what) const {
    if (options_.on_step) options_.on_step(what);
  }

  FileSystemJob job(const DiskFileSystem& file_system, const fs::path& image) const {
    return {.file_system = file_system,
            .extent = placement_.of(file_system),
            .sector_size = layout_.sector_size,
            .image = image,
            .source = "",
            .scratch = options_.scratch,
            .epoch = options_.epoch};
  }

  /// XFS that user space can't make. On an encrypted volume all of one made outside would have to be written, empty
  /// space too: that is done only where bytes are to be equal.
  std::set<std::size_t> made_inside() const {
    std::set<std::size_t> inside;
    for (std::size_t i = 0; i < layout_.file_systems.size(); ++i) {
      const DiskFileSystem& file_system = layout_.file_systems[i];
      if (file_system.type != "xfs") continue;
      std::optional<std::string> obstacle;
      if (!options_.reproducible && lies_on_noise(file_system.volume)) obstacle = "it is encrypted";
      if (!obstacle && file_system.holds_files()) {
        obstacle = xfs_obstacle(file_system, part_of_tree(tree_, layout_, file_system, options_.scratch).path());
      }
      if (!obstacle) continue;
      say(cat("the guest makes xfs ", file_system.name, ": ", *obstacle));
      inside.insert(i);
    }
    return inside;
  }

  /// The disk with all that user space can do, and a drive for each file system that is copied on a volume.
  void make_outside_parts(const GuestPlan& plan) {
    create_sparse_file(raw_, placement_.disk_bytes);
    for (std::size_t i = 0; i < layout_.file_systems.size(); ++i) {
      const DiskFileSystem& file_system = layout_.file_systems[i];
      if (!is_direct_type(file_system) || !file_system.volume.empty() || inside_.contains(i)) continue;
      fill_file_system(job(file_system, raw_), tree_, layout_, runner_);
    }
    write_partition_table(raw_, layout_, placement_);
    drives_.push_back({.file = raw_, .label = k_guest_disk, .sector_size = layout_.sector_size});
    for (const GuestFill& fill : plan.fills) {
      if (!fill.made_outside) continue;
      const DiskFileSystem& file_system = layout_.file_systems[fill.file_system];
      const fs::path file = work_.path() / drive_label(fill.file_system);
      say(cat("making ", file_system.type, " ", file_system.name));
      create_sparse_file(file, placement_.of(file_system).length);
      fill_file_system(job(file_system, file), tree_, layout_, runner_);
      drives_.push_back({.file = file, .label = drive_label(fill.file_system), .read_only = true});
    }
  }

  void perform(Guest& guest, const GuestStep& step) const {
    say(step.title);
    try {
      guest.run(step.script);
      if (!step.group.empty()) fix_lvm_ids(guest, step.group, step.members, group_seed(step.group), options_.epoch);
    } catch (Error& error) {
      throw error.during(cat("making the ", step.title));
    }
  }

  void add_noise(const GuestNoise& noise) {
    const LuksVolume& volume = layout_.volumes.encrypted[noise.volume];
    const fs::path file = work_.path() / noise.label;
    write_luks_noise(file, key_of_volume(volume, tree_), volume.uuid);
    drives_.push_back({.file = file, .label = noise.label, .read_only = true});
  }

  /// What the ids of a group follow from: those of its physical volumes, which follow from the layout.
  std::string group_seed(const std::string& group) const {
    std::string seed;
    for (const VolumeGroup& each : layout_.volumes.groups) {
      if (each.name == group) seed = join(each.members, " ");
    }
    for (const PhysicalVolume& each : layout_.volumes.physical) seed += cat(" ", each.uuid);
    return seed;
  }

  void fix_members(const RaidArray& array) const {
    const Fd disk = Fd::open(raw_.string(), O_RDWR);
    for (std::size_t i = 0; i < layout_.partitions.size(); ++i) {
      const std::string& name = layout_.partitions[i].name;
      if (std::find(array.members.begin(), array.members.end(), name) == array.members.end()) continue;
      const Extent& extent = placement_.partitions[i];
      const std::uint64_t at = extent.offset + md_superblock_offset(array.metadata, extent.length);
      std::string block(k_md_superblock, '\0');
      if (::pread(disk.get(), block.data(), block.size(), static_cast<off_t>(at)) < 0) {
        throw Error::from_errno("reading", raw_.string());
      }
      block = fixed_md_superblock(std::move(block), derived_uuid(array.uuid, cat("member ", name)), options_.epoch);
      if (::pwrite(disk.get(), block.data(), block.size(), static_cast<off_t>(at)) < 0) {
        throw Error::from_errno("writing", raw_.string());
      }
    }
  }

  void perform(Guest& guest, const GuestFill& fill) const {
    const DiskFileSystem& file_system = layout_.file_systems[fill.file_system];
    say(cat("filling ", file_system.type, " ", file_system.name));
    try {
      guest.run(cat("[ -b ", fill.device, " ] || { echo 'there is no ", fill.device, "'; exit 1; }\n"));
      fill.made_outside ? copy_over(guest, fill, file_system) : fill_inside(guest, fill, file_system);
    } catch (Error& error) {
      throw error.during(cat("filling the ", file_system.type, " file system ", file_system.name));
    }
  }

  void copy_over(Guest& guest, const GuestFill& fill, const DiskFileSystem& file_system) const {
    const fs::path file = work_.path() / drive_label(fill.file_system);
    std::vector<Extent> ranges = data_ranges(file, k_joined_gap);
    if (lies_on_noise(file_system.volume)) {
      ranges = file_system.is_ext() ? ext_used_ranges(file, k_joined_gap)
                                    : std::vector<Extent>{{0, placement_.of(file_system).length}};
    }
    std::string script;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      script +=
          cat("dd if=/dev/disk/guestfs/", drive_label(fill.file_system), " of=", fill.device, " bs=", k_copy_block,
              " skip=", ranges[i].offset, " seek=", ranges[i].offset, " count=", ranges[i].length,
              " iflag=skip_bytes,count_bytes oflag=seek_bytes,direct conv=notrunc status=none\n");
      if ((i + 1) % k_ranges_per_script == 0) guest.run(std::exchange(script, ""));
    }
    guest.run(script);
  }

  /// Whether what was never written reads as noise: somewhere below is encryption.
  bool lies_on_noise(const std::string& volume) const {
    for (const LuksVolume& each : layout_.volumes.encrypted) {
      if (each.name == volume) return true;
    }
    const std::vector<std::string> below = bases_below(layout_.volumes, volume);
    return std::any_of(below.begin(), below.end(), [this](const std::string& base) { return lies_on_noise(base); });
  }

  void fill_inside(Guest& guest, const GuestFill& fill, const DiskFileSystem& file_system) const {
    guest.run(fill.format);
    if (!file_system.holds_files()) return;
    guest.mount(fill.device, "/", "");
    const TreeView view = part_of_tree(tree_, layout_, file_system, options_.scratch);
    guest.unpack("/", [&](int fd) {
      stream_tree_archive(
          view.path(), fd,
          {.compression = Compression::none, .epoch = options_.epoch, .prefix = ".", .manifest = {}, .whole = true});
    });
    guest.unmount_all();
  }

  const fs::path& tree_;
  const DiskLayout& layout_;
  const Placement& placement_;
  const fs::path& raw_;
  const GuestOptions& options_;
  CommandRunner& runner_;
  TempDir work_ = TempDir::create(options_.scratch, "guest-");
  std::vector<GuestDrive> drives_;
  std::set<std::size_t> inside_;
};

}  // namespace

std::string key_of_volume(const LuksVolume& volume, const fs::path& tree) {
  const bool inside = !volume.image_key_file.empty();
  std::optional<std::string> key =
      inside ? TreeReader(tree).read(volume.image_key_file) : RealFileSystem().read(volume.key_file);
  if (!key) {
    throw Error(ErrorKind::input, cat("the key of the encrypted volume ", volume.name, " is missing: ",
                                      inside ? cat(volume.image_key_file, " in the image") : volume.key_file))
        .hint(inside ? "A hook has to create it in the image before the disk is made."
                     : "luks: key_file names a file of this machine.");
  }
  if (!inside && key->ends_with('\n')) key->pop_back();
  if (key->empty()) throw Error(ErrorKind::input, cat("the key of the encrypted volume ", volume.name, " is empty"));
  return *key;
}

void make_guest_disk(const fs::path& tree, const DiskLayout& layout, const Placement& placement, const fs::path& raw,
                     const GuestOptions& options, CommandRunner& runner) {
  require_makeable(layout);
  Maker(tree, layout, placement, raw, options, runner).run();
}

}  // namespace hearth::builder
