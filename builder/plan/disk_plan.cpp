#include "builder/plan/disk_plan.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/plan/layout_choice.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_kib = 1024;
constexpr double k_mib_per_gib = 1024;
constexpr const char* k_loop_device = "/dev/loop0";  // what upstream's builder usually gets

LayoutDefaults layout_defaults(const ImageRequest& request) {
  LayoutDefaults defaults{.root_type = request.root_fs_type,
                          .root_options = root_mkfs_options(request.root_fs_type, request.journal_size_mib,
                                                            request.max_online_resize, request.mkfs_options),
                          .other_root_options = request.mkfs_options,
                          .root_label = request.root_label};
  defaults.sector_size = request.sector_size;
  return defaults;
}

/// The ids of a disk follow from what it is made of: building the same again, in another directory and under another
/// name, gives the same bytes. Releases that are told apart by a version are so by ids, too: what starts a disk looks
/// for its root by them, in whatever disk of the machine.
std::string id_seed(const ImageRequest& request, const BuildPlan& plan) {
  return cat(request.architecture, "\n", join(plan.elements.names(), " "), "\n", join(request.packages, " "),
             request.version.empty() ? "" : cat("\n", request.version));
}

/// A ramdisk build makes no disk, nor does one with the element no-final-image, or whose name holds that (upstream
/// looks for the text in the list): the elements write their own files.
std::vector<OutputFormat> wanted_formats(const ImageRequest& request, const BuildPlan& plan) {
  std::vector<OutputFormat> formats = request.formats;
  const bool no_disk = request.ramdisk || join(plan.elements.names(), " ").find("no-final-image") != std::string::npos;
  if (no_disk) {
    const auto is_disk = [](const OutputFormat& format) { return format.from_disk(); };
    formats.erase(std::remove_if(formats.begin(), formats.end(), is_disk), formats.end());
  }
  return formats;
}

/// Where the disk's size is known before anything is built, so is whether its partitions and volumes fit.
void check_known_size(const DiskLayout& layout, const ImageRequest& request) {
  if (!layout.size && !request.image_size_gib) return;
  const SizeRule rule{.image_gib = request.image_size_gib};
  (void)place(layout, image_size({}, rule, layout));
}

/// All that starts a machine is made for x86: another one would get an image that it can't start.
void require_bootable(const std::string& architecture, const std::vector<OutputFormat>& formats, bool has_boot_loader) {
  static const std::set<std::string> x86 = {"amd64", "x86_64", "i386"};
  if (x86.contains(architecture) || formats.empty()) return;
  std::string loader = has_boot_loader ? "the element bootloader" : "";
  for (const OutputFormat& format : formats) {
    if (format.kind == FormatKind::uki || format.kind == FormatKind::iso) loader = cat("-t ", format.name);
  }
  if (loader.empty()) return;
  throw Error(ErrorKind::unsupported, cat("-a ", architecture, ": ", loader, " makes what starts amd64 machines only"))
      .hint("Leave out what boots (the elements vm and bootloader, -t uki and iso): -t tar, for example, needs none.");
}

/// See DiskPlan::device_hooks.
std::vector<DeviceHook> find_device_hooks(const BuildPlan& plan) {
  std::vector<DeviceHook> found;
  for (const Step& step : plan.steps) {
    const bool inside = step.phase == Phase::finalise;
    if (step.kind != Step::Kind::hook || (!inside && step.phase != Phase::block_device)) continue;
    if (step.element == "bootloader") continue;  // writes files only: the loader is put on the disk by its maker
    const auto& directory = plan.hooks.directory(directory_name(step.phase));
    const auto entry = directory.find(step.name);
    if (entry == directory.end()) continue;
    const std::string text = RealFileSystem().read(entry->second.path).value_or("");
    if (names_block_device(text)) found.push_back({step.label(), inside, text, {}});
  }
  return found;
}

/// The name under which the running system has a volume.
std::string mapped_device(const DiskLayout& layout, const std::string& volume) {
  for (const LogicalVolume& each : layout.volumes.logical) {
    if (each.name != volume) continue;
    return cat("/dev/mapper/", replace_all(each.group, "-", "--"), "-", replace_all(each.name, "-", "--"));
  }
  for (const RaidArray& each : layout.volumes.arrays) {
    if (each.name == volume) return cat("/dev/md/", volume);
  }
  return cat("/dev/mapper/", volume);
}

BootLoader boot_loader_of(const BuildPlan& plan) {
  const Element* const element = plan.elements.find("bootloader");
  if (element == nullptr) return BootLoader::none;
  return element->built_in ? BootLoader::ours : BootLoader::foreign;
}

}  // namespace

bool DiskPlan::makes_disk() const {
  return std::any_of(formats.begin(), formats.end(), [](const OutputFormat& format) { return format.from_disk(); });
}

DiskPlan plan_disk(const ImageRequest& request, const BuildPlan& plan) {
  const ConfigText config = layout_config(RealFileSystem(), request, plan);
  DiskPlan disk{.config = config.text,
                .layout = parse_block_config(config.text, config.source, layout_defaults(request)).value_or_throw(),
                .boot_loader = boot_loader_of(plan),
                .formats = wanted_formats(request, plan),
                .maker = {},
                .device_hooks = {},
                .id_seed = id_seed(request, plan)};
  require_bootable(request.architecture, disk.formats, disk.boot_loader != BootLoader::none);
  if (disk.makes_disk()) {
    std::vector<std::string> labels;
    disk.device_hooks = find_device_hooks(plan);
    for (const DeviceHook& hook : disk.device_hooks) labels.push_back(hook.label);
    disk.maker = choose_maker(disk.layout, request.disk_maker, labels);
    if (disk.maker->maker == DiskMaker::direct) disk.device_hooks.clear();
    for (const DiskLayout* const one : disks_of(disk)) check_known_size(*one, request);
  }
  disk.layout = assign_ids(std::move(disk.layout), disk.id_seed);
  return disk;
}

std::vector<const DiskLayout*> disks_of(const DiskPlan& disk) {
  std::vector<const DiskLayout*> all = {&disk.layout};
  for (const DiskLayout& further : disk.layout.further) all.push_back(&further);
  return all;
}

std::vector<Output> outputs_of(const DiskPlan& disk, const DiskLayout& one, const ImageRequest& request) {
  const bool is_first = &one == &disk.layout;
  const std::string stem = is_first ? request.output.string() : cat(request.output.string(), "-", one.disk);
  std::vector<Output> outputs;
  for (const OutputFormat& format : disk.formats) {
    if (is_first || format.from_disk()) outputs.push_back({format, cat(stem, ".", format.extension())});
  }
  return outputs;
}

std::vector<Output> all_outputs(const DiskPlan& disk, const ImageRequest& request) {
  std::vector<Output> all;
  for (const DiskLayout* const one : disks_of(disk)) {
    for (Output& output : outputs_of(disk, *one, request)) all.push_back(std::move(output));
  }
  return all;
}

std::vector<fs::path> output_files(const DiskPlan& disk, const ImageRequest& request) {
  std::vector<fs::path> all;
  for (const Output& output : all_outputs(disk, request)) {
    const std::vector<fs::path> files = files_of(output);
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

DiskLayout file_system_layout(const DiskPlan& disk, const ImageRequest& request, const std::string& type) {
  LayoutDefaults defaults = layout_defaults(request);
  if (type != defaults.root_type)
    defaults.root_options = root_mkfs_options(type, request.journal_size_mib, std::nullopt, "");
  defaults.root_type = type;
  return assign_ids(parse_block_config(builtin_block_config(), "built-in layout", defaults).value_or_throw(),
                    disk.id_seed);
}

SizeRule size_rule(const ImageRequest& request) {
  return {
      .image_gib = request.image_size_gib,
      .extra_gib = request.extra_size_mib > 0 ? std::optional(request.extra_size_mib / k_mib_per_gib) : std::nullopt,
      .journal_mib = request.journal_size_mib};
}

std::uint64_t size_kib(const DiskPlan& disk, const ImageRequest& request, const TreeUsage& usage) {
  return image_size(usage, size_rule(request), disk.layout) / k_kib;
}

DiskFacts disk_facts(const DiskPlan& disk) {
  DiskFacts facts;
  for (const DiskFileSystem& file_system : disk.layout.file_systems) {
    if (file_system.mount_point == "/") {
      facts.root_label = file_system.label;
      facts.root_fs_type = file_system.type;
    } else if (file_system.mount_point == "/boot") {
      facts.boot_label = file_system.label;
    }
  }
  for (const DiskFileSystem* const each : all_file_systems(disk.layout)) {
    if (!each->mount_point.empty()) facts.mount_points.push_back(each->mount_point);
  }
  facts.device = k_loop_device;
  const std::vector<const DiskLayout*> all = disks_of(disk);
  for (std::size_t number = 0; number < all.size(); ++number) {
    facts.devices += cat(" [", all[number]->disk, "]=/dev/loop", number, " ");
    for (std::size_t i = 0; i < all[number]->partitions.size(); ++i) {
      facts.devices += cat(" [", all[number]->partitions[i].name, "]=/dev/mapper/loop", number, "p", i + 1, " ");
    }
  }
  for (const LogicalVolume& volume : disk.layout.volumes.logical) {
    facts.devices += cat(" [", volume.name, "]=/dev/mapper/", volume.group, "-", volume.name, " ");
  }
  for (const LuksVolume& volume : disk.layout.volumes.encrypted) {
    facts.devices += cat(" [", volume.name, "]=/dev/mapper/", volume.name, " ");
  }
  return facts;
}

std::string grub_facts(const DiskPlan& disk) {
  const char* const table = disk.layout.table == PartitionTable::gpt   ? "gpt"
                            : disk.layout.table == PartitionTable::mbr ? "msdos"
                                                                       : "none";
  std::vector<const DiskFileSystem*> mounted;
  for (const DiskFileSystem& file_system : disk.layout.file_systems) {
    if (file_system.holds_files()) mounted.push_back(&file_system);
  }
  std::reverse(mounted.begin(), mounted.end());  // the innermost mount decides
  std::string text;
  for (const DiskFileSystem* const file_system : mounted) {
    const std::size_t number = file_system->partition ? *file_system->partition + 1 : 0;
    const std::string type = file_system->is_ext() ? "ext2" : file_system->is_fat() ? "fat" : file_system->type;
    const std::string device = file_system->volume.empty() ? cat(k_loop_device, number > 0 ? cat("p", number) : "")
                                                           : mapped_device(disk.layout, file_system->volume);
    text += cat(file_system->mount_point, " ", device, " ", table, " ", number, " ", type, " ", file_system->uuid, " ",
                file_system->label, "\n");
  }
  return text;
}

}  // namespace hearth::builder
