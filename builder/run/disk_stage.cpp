#include "builder/run/disk_stage.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/limits.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/boot/boot_settings.hpp"
#include "builder/boot/kernels.hpp"
#include "builder/disk/direct_maker.hpp"
#include "builder/disk/guest_maker.hpp"
#include "builder/disk/sparse_copy.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/guestfs/appliance_check.hpp"
#include "builder/guestfs/appliance_settings.hpp"
#include "builder/output/old_output.hpp"
#include "builder/packing/checksums.hpp"
#include "builder/run/layout_choice.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_kib = 1024;
constexpr double k_mib_per_gib = 1024;
constexpr std::uint64_t k_trial_bytes = std::uint64_t{64} << 30;  // room for what only a large disk takes
constexpr const char* k_trial_uuid = "00000000-0000-4000-8000-000000000001";
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

/// See DiskStage::device_hooks().
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

/// The process's file mode mask, while the object lives.
class Umask {
 public:
  explicit Umask(unsigned mask) : before_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(before_); }

 private:
  mode_t before_;
};

/// Of an image that is kept under another name.
fs::path evidence_beside(const fs::path& image) { return image.parent_path() / cat(image.stem().string(), ".d"); }

bool any_disk(const std::vector<OutputFormat>& formats) {
  for (const OutputFormat& format : formats) {
    if (format.from_disk()) return true;
  }
  return false;
}

}  // namespace

BootOptions DiskStage::boot_options(const Environment& env, std::int64_t epoch) const {
  BootOptions options = boot_settings(env, epoch);
  options.keep_config = boot_loader_ == BootLoader::foreign;
  return options;
}

DiskStage::BootLoader DiskStage::boot_loader_of(const BuildPlan& plan) {
  const Element* const element = plan.elements.find("bootloader");
  if (element == nullptr) return BootLoader::none;
  return element->built_in ? BootLoader::ours : BootLoader::foreign;
}

DiskStage DiskStage::plan(const ImageRequest& request, const BuildPlan& plan) {
  const ConfigText config = layout_config(RealFileSystem(), request, plan);
  DiskLayout layout = parse_block_config(config.text, config.source, layout_defaults(request)).value_or_throw();
  std::vector<OutputFormat> formats = wanted_formats(request, plan);
  require_bootable(request.architecture, formats, boot_loader_of(plan) != BootLoader::none);
  std::optional<MakerChoice> maker;
  std::vector<DeviceHook> hooks;
  if (any_disk(formats)) {
    std::vector<std::string> labels;
    hooks = find_device_hooks(plan);
    for (const DeviceHook& hook : hooks) labels.push_back(hook.label);
    maker = choose_maker(layout, request.disk_maker, labels);
    if (maker->maker == DiskMaker::direct) hooks.clear();
    check_known_size(layout, request);
    for (const DiskLayout& disk : layout.further) check_known_size(disk, request);
  }
  const std::string seed = id_seed(request, plan);
  return {request,
          config.text,
          assign_ids(std::move(layout), seed),
          boot_loader_of(plan),
          std::move(formats),
          std::move(maker),
          std::move(hooks),
          seed};
}

DiskFacts DiskStage::facts() const {
  DiskFacts facts;
  for (const DiskFileSystem& file_system : layout_.file_systems) {
    if (file_system.mount_point == "/") {
      facts.root_label = file_system.label;
      facts.root_fs_type = file_system.type;
    } else if (file_system.mount_point == "/boot") {
      facts.boot_label = file_system.label;
    }
  }
  for (const DiskFileSystem* const each : all_file_systems(layout_)) {
    if (!each->mount_point.empty()) facts.mount_points.push_back(each->mount_point);
  }
  facts.device = k_loop_device;
  const std::vector<const DiskLayout*> all = disks();
  for (std::size_t disk = 0; disk < all.size(); ++disk) {
    facts.devices += cat(" [", all[disk]->disk, "]=/dev/loop", disk, " ");
    for (std::size_t i = 0; i < all[disk]->partitions.size(); ++i) {
      facts.devices += cat(" [", all[disk]->partitions[i].name, "]=/dev/mapper/loop", disk, "p", i + 1, " ");
    }
  }
  for (const LogicalVolume& volume : layout_.volumes.logical) {
    facts.devices += cat(" [", volume.name, "]=/dev/mapper/", volume.group, "-", volume.name, " ");
  }
  for (const LuksVolume& volume : layout_.volumes.encrypted) {
    facts.devices += cat(" [", volume.name, "]=/dev/mapper/", volume.name, " ");
  }
  return facts;
}

void DiskStage::write_parameters(const fs::path& directory) const {
  fs::create_directories(directory);
  RealFileSystem files;
  const fs::path config = directory / "config.yaml";
  files.write(config, config_, {});
  files.write(directory / "params.yaml",
              cat("config: ", config.string(), "\nimage-dir: ", k_image_directory.string(),
                  "\nroot-fs-type: ", request_.root_fs_type, "\nroot-label: ", request_.root_label,
                  "\nmount-base: ", k_target_root.string(), "\nbuild-dir: ", k_build_directory.string(), "\n"),
              {});
}

void DiskStage::check_tools(const Environment& environment) const {
  std::vector<NeededProgram> programs = programs_for(formats_, request_.qemu_img_options);
  for (const DiskLayout* const disk : any_disk(formats_) ? disks() : std::vector<const DiskLayout*>()) {
    const std::vector<NeededProgram> makers = programs_for(*disk);
    programs.insert(programs.end(), makers.begin(), makers.end());
  }
  if (!formats_.empty() && boot_loader_ != BootLoader::none) {
    Firmware firmware = firmware_of(layout_);
    firmware.bios = firmware.bios && any_disk(formats_);  // only a disk has room for what the BIOS starts
    require_grub(firmware, boot_options(environment, 0), environment);
  }
  bool appliance = maker_ && maker_->maker == DiskMaker::guestfs;
  for (const OutputFormat& format : formats_) {
    if (format.kind != FormatKind::file_system) continue;
    const DiskLayout layout = file_system_layout(format.name);
    const std::vector<NeededProgram> makers = programs_for(layout);
    programs.insert(programs.end(), makers.begin(), makers.end());
    const MakerChoice choice = choose_maker(layout, request_.disk_maker);
    appliance = appliance || choice.maker == DiskMaker::guestfs;
  }
  const bool gzip = std::any_of(formats_.begin(), formats_.end(), [](const auto& each) { return each.name == "tgz"; });
  if (gzip && !request_.gzip_program.empty()) {  // DIB_GZIP_BIN
    programs.push_back({request_.gzip_program.front(), fs::path(request_.gzip_program.front()).filename().string()});
  }
  require_programs(programs, environment);
  if (appliance) check_appliance(environment);
}

void DiskStage::check_options(CommandRunner& runner, const fs::path& scratch) const {
  std::vector<DiskFileSystem> tried;
  for (const DiskFileSystem* const each : all_file_systems(layout_)) {
    const DiskFileSystem& file_system = *each;
    const std::string own = root_mkfs_options(file_system.type, request_.journal_size_mib, std::nullopt, "");
    const bool is_given = !file_system.options.empty() && file_system.options != split_words(own);
    const bool is_ours = file_system.is_ext() || file_system.type == "xfs" || file_system.type == "btrfs";
    if (is_given && is_ours && maker_ && maker_->maker == DiskMaker::direct) tried.push_back(file_system);
  }
  const bool tries_qemu = !request_.qemu_img_options.empty();
  if (tried.empty() && !tries_qemu) return;
  const TempDir directory = TempDir::create(scratch, "hearth-options");
  const fs::path image = directory.path() / "image";
  for (DiskFileSystem& file_system : tried) {
    create_sparse_file(image, k_trial_bytes);
    file_system.uuid = k_trial_uuid;
    try {
      make_file_system({.file_system = file_system,
                        .extent = {0, k_trial_bytes},
                        .sector_size = layout_.sector_size,
                        .image = image,
                        .source = {},
                        .scratch = directory.path()},
                       runner);
    } catch (Error& error) {
      throw Error(ErrorKind::usage, cat("the options '", join(file_system.options, " "), "' of ", file_system.name,
                                        " are refused: ", error.what()))
          .hint(cat("They come from --mkfs-options or the disk layout; man mkfs.", file_system.type,
                    " tells what there is."));
    }
  }
  for (const OutputFormat& format : formats_) {
    if (!tries_qemu || !format.from_disk() || format.name == "raw") continue;
    try {
      run_checked(runner, Command{.argv = trial_argv(format, image.string(), request_.qemu_img_options)});
    } catch (Error& error) {
      throw Error(ErrorKind::usage, cat("--qemu-img-options '", request_.qemu_img_options,
                                        "': qemu-img refuses them for ", format.name, ": ", error.what()))
          .hint(cat("qemu-img create -f ", format.name, " -o help x lists what there is."));
    }
  }
}

std::vector<const DiskLayout*> DiskStage::disks() const {
  std::vector<const DiskLayout*> all = {&layout_};
  for (const DiskLayout& disk : layout_.further) all.push_back(&disk);
  return all;
}

std::vector<Output> DiskStage::outputs_of(const DiskLayout& disk) const {
  const bool is_first = &disk == &layout_;
  const std::string stem = is_first ? request_.output.string() : cat(request_.output.string(), "-", disk.disk);
  std::vector<Output> outputs;
  for (const OutputFormat& format : formats_) {
    if (is_first || format.from_disk()) outputs.push_back({format, cat(stem, ".", format.extension())});
  }
  return outputs;
}

std::vector<Output> DiskStage::all_outputs() const {
  std::vector<Output> all;
  for (const DiskLayout* const disk : disks()) {
    for (Output& output : outputs_of(*disk)) all.push_back(std::move(output));
  }
  return all;
}

std::vector<fs::path> DiskStage::files() const {
  std::vector<fs::path> all;
  for (const Output& output : all_outputs()) {
    const std::vector<fs::path> files = files_of(output);
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

void DiskStage::check_places() const {
  for (const Output& output : all_outputs()) {
    const bool layout = output.format.kind == FormatKind::oci;
    for (const fs::path& file : files_of(output)) {
      const fs::file_status status = fs::symlink_status(file);
      if (!fs::exists(status)) continue;
      const bool is_layout = fs::is_directory(status) && (fs::is_empty(file) || fs::exists(file / "oci-layout"));
      boost::system::error_code failed;
      const fs::file_status target = fs::status(file, failed);  // a link's: an earlier image is read through it
      const bool is_file =
          fs::is_regular_file(target) || !fs::exists(target) || (fs::is_symlink(status) && fs::is_directory(target));
      if (layout ? is_layout : is_file) continue;
      throw Error(ErrorKind::input, cat("the output ", file.string(), " can't be written: ",
                                        layout                     ? "what is there is no OCI layout"
                                        : fs::is_directory(target) ? "a directory is there"
                                                                   : "what is there is no file"))
          .hint("Move it away, or give another name by -o.");
    }
  }
}

std::string DiskStage::grub_facts() const {
  const char* const table = layout_.table == PartitionTable::gpt   ? "gpt"
                            : layout_.table == PartitionTable::mbr ? "msdos"
                                                                   : "none";
  std::vector<const DiskFileSystem*> mounted;
  for (const DiskFileSystem& file_system : layout_.file_systems) {
    if (file_system.holds_files()) mounted.push_back(&file_system);
  }
  std::reverse(mounted.begin(), mounted.end());  // the innermost mount decides
  std::string text;
  for (const DiskFileSystem* const file_system : mounted) {
    const std::size_t number = file_system->partition ? *file_system->partition + 1 : 0;
    const std::string type = file_system->is_ext() ? "ext2" : file_system->is_fat() ? "fat" : file_system->type;
    const std::string device = file_system->volume.empty() ? cat(k_loop_device, number > 0 ? cat("p", number) : "")
                                                           : mapped_device(layout_, file_system->volume);
    text += cat(file_system->mount_point, " ", device, " ", table, " ", number, " ", type, " ", file_system->uuid, " ",
                file_system->label, "\n");
  }
  return text;
}

SizeRule DiskStage::size_rule() const {
  return {
      .image_gib = request_.image_size_gib,
      .extra_gib = request_.extra_size_mib > 0 ? std::optional(request_.extra_size_mib / k_mib_per_gib) : std::nullopt,
      .journal_mib = request_.journal_size_mib};
}

std::uint64_t DiskStage::size_kib(const TreeUsage& usage) const {
  return image_size(usage, size_rule(), layout_) / k_kib;
}

void DiskStage::prepare(const fs::path& root, const Environment& environment) const {
  const std::int64_t epoch = creation_time(environment);
  const bool by_label = boot_settings(environment, epoch).root == RootName::label;
  prepare_tree(root, layout_, epoch, by_label ? FstabName::label : FstabName::uuid);
}

/// An archive of a tree with a boot loader holds the same files as one that is made beside a disk. A tree without a
/// kernel is for something else than booting.
bool DiskStage::boots_without_disk(const fs::path& root) const {
  return !formats_.empty() && boot_loader_ != BootLoader::none && has_kernel(root, layout_);
}

std::vector<fs::path> DiskStage::write(const fs::path& root, const DiskTools& tools) const {
  const std::int64_t epoch = creation_time(tools.environment);
  OutputSource source{.tree = root,
                      .raw = k_image_directory / "image0.raw",
                      .layout = layout_,
                      .boot = boot_options(tools.environment, epoch),
                      .scratch = k_temporary_directory,
                      .epoch = epoch};
  if (any_disk(formats_)) {
    tools.step("disk", [&] { make_raw(source, tools); });
  } else if (boots_without_disk(root)) {
    tools.step("boot files", [&] {
      const Firmware firmware{.bios = false, .uefi = firmware_of(layout_).uefi};  // no disk, no boot sector
      GrubCores cores = GrubCores::start(firmware, layout_, source.boot, source.scratch, tools.runner);
      write_boot_files(root, layout_, source.boot, cores);
    });
  }
  const std::vector<OutputSource> further = make_further(source, tools);  // before the first output is there
  FilesTogether together;
  Outputs all{tools, further.empty() ? nullptr : &together, {}};
  try {
    write_outputs_of(layout_, source, all);
    for (std::size_t i = 0; i < further.size(); ++i) write_outputs_of(layout_.further[i], further[i], all);
    together.place();
  } catch (...) {
    take_back(all);
    throw;
  }
  settle_what_was(all);
  return files();
}

/// Before a new image is in the earlier one's place: a disk that is full now ends the build, and all is as it was.
void DiskStage::keep_evidence(Outputs& all) const {
  const fs::path records = request_.output.string() + ".d";
  if (!all.evidence.empty() || !fs::exists(records / k_provenance_file)) return;
  for (const auto& [target, old] : all.kept) {
    if (old.empty() || old == target) continue;
    all.evidence = evidence_beside(old);
    return evidence::keep_evidence(records, all.evidence);
  }
}

void DiskStage::take_back(const Outputs& all) {
  for (const auto& [target, old] : all.kept) take_back_old_output(target, old);
  boost::system::error_code failed;
  if (!all.evidence.empty()) fs::remove_all(all.evidence, failed);
}

/// The same bytes need no second file, and an image that has none no second evidence.
void DiskStage::settle_what_was(const Outputs& all) const {
  const bool loses_signature = evidence::is_signed(request_.output.string() + ".d") && !request_.signing_key;
  bool has_kept = false;
  for (const auto& [target, old] : all.kept) {
    if (old.empty() || old == target) continue;
    if (!loses_signature && has_same_bytes(target, old)) {
      drop_old_output(old);
      if (all.tools.note) all.tools.note(cat(target.filename().string(), " is the earlier one, byte by byte"));
      continue;
    }
    const fs::path evidence = all.evidence.empty() ? fs::path() : evidence_beside(old);
    if (!has_kept && !evidence.empty() && evidence != all.evidence) fs::rename(all.evidence, evidence);
    if (all.tools.note)
      all.tools.note(
          cat("the earlier ", target.filename().string(), " is ", old.filename().string(),
              " now (OVERWRITE_OLD_IMAGE=1 keeps none)",
              has_kept || evidence.empty() ? "" : cat(", its evidence ", evidence.filename().string(), "/")));
    has_kept = true;
  }
  if (!has_kept && !all.evidence.empty()) fs::remove_all(all.evidence);
}

void DiskStage::write_outputs_of(const DiskLayout& disk, const OutputSource& source, Outputs& all) const {
  const DiskTools& tools = all.tools;
  std::vector<Output> outputs = outputs_of(disk);
  if (outputs.empty()) return;
  std::vector<std::string> names;
  for (Output& output : outputs) {
    const bool moves = output.format.kind == FormatKind::oci && !request_.overwrite;
    if (moves) output.kept = old_output_name(output.target, SystemClock().wall());
    for (const fs::path& file : files_of(output)) names.push_back(file.filename().string());
  }
  tools.step(cat("output ", join(names, " ")), [&] {
    OutputSettings settings = output_settings(source, tools);
    if (&disk != &layout_) settings.disk.index.clear();  // which knows one disk
    settings.disk.together = all.together;
    for (const Output& output : outputs) {
      const fs::path earlier = keep_old(output, all.kept);
      if (output.format.kind == FormatKind::qcow2 && !settings.disk.index.empty()) settings.disk.earlier = earlier;
    }
    keep_evidence(all);
    const Umask users(tools.umask);
    write_outputs(outputs, source, settings, tools.runner, usable_processors());
  });
}

std::vector<OutputSource> DiskStage::make_further(const OutputSource& source, const DiskTools& tools) const {
  std::vector<OutputSource> made;
  for (const DiskLayout& disk : any_disk(formats_) ? layout_.further : std::vector<DiskLayout>()) {
    OutputSource& own = made.emplace_back(source);
    own.layout = disk;
    own.raw.file = k_image_directory / cat("further", made.size(), ".raw");
    own.raw.left_out.clear();
    tools.step(cat("disk ", disk.disk), [&] {
      const TreeUsage usage = measure_tree(own.tree);
      const Placement placement = place(disk, image_size(usage, size_rule(), disk));
      require_room(own.tree, usage, disk, placement);
      make_disk_file(disk, own, placement, own.raw.file, tools, may_leave_out() ? &own.raw.left_out : nullptr);
    });
  }
  return made;
}

/// Upstream overwrites what it makes from the tree. Returns where the earlier output is now.
fs::path DiskStage::keep_old(const Output& output, std::vector<std::pair<fs::path, fs::path>>& all) const {
  // A directory changes places with the new one when that is complete.
  static const std::set<FormatKind> overwritten = {FormatKind::archive, FormatKind::squashfs, FormatKind::docker,
                                                   FormatKind::oci};
  const SystemClock clock;
  if (request_.overwrite || overwritten.contains(output.format.kind)) return output.target;
  fs::path kept;
  for (const fs::path& file : files_of(output)) {
    kept = keep_old_output(file, clock);
    all.emplace_back(file, kept);
  }
  return kept;
}

OutputSettings DiskStage::output_settings(const OutputSource& source, const DiskTools& tools) const {
  const bool remembers = request_.use_cache && request_.compression != qcow2::Compression::none;
  return {.disk = {.compression = request_.compression,
                   .qemu_options = request_.qemu_img_options,
                   .epoch = source.epoch,
                   .checksums = request_.checksums,
                   .index = remembers ? fs::path(request_.output.string() + ".d") / k_clusters_file : fs::path()},
          .container_tag = request_.docker_target,
          .container = request_.container,
          .architecture = request_.architecture,
          .aci_manifest = request_.aci_manifest,
          .gzip_program = request_.gzip_program,
          .checksums = request_.checksums,
          .make_file_system = [this, &source, &tools](const std::string& type, const fs::path& raw) {
            make_file_system_image(type, source, raw, tools);
          }};
}

void DiskStage::make_disk_file(const DiskLayout& layout, const OutputSource& source, const Placement& placement,
                               const fs::path& raw, const DiskTools& tools, std::vector<FilePiece>* left_out) const {
  const bool whole = &layout == &layout_;  // hooks are for the disk, not for an image of one of its file systems
  const DiskMaker maker = whole && maker_ ? maker_->maker : choose_maker(layout, request_.disk_maker).maker;
  if (maker == DiskMaker::direct) {
    make_disk(source.tree, layout, placement, raw, {.scratch = source.scratch, .epoch = source.epoch}, tools.runner,
              left_out);
    return;
  }
  const SystemClock clock;
  ApplianceSettings settings = appliance_settings(request_.environment, request_.cache, source.scratch, clock);
  make_guest_disk(source.tree, layout, placement, raw,
                  {.scratch = source.scratch,
                   .epoch = source.epoch,
                   .reproducible = tools.environment.contains("SOURCE_DATE_EPOCH"),
                   .start = appliance_starter(std::move(settings)),
                   .hooks = whole ? tools.hooks : std::vector<DeviceHook>(),
                   .on_step = tools.line},
                  tools.runner);
}

/// Whether nothing needs the whole raw disk.
bool DiskStage::may_leave_out() const {
  return std::all_of(formats_.begin(), formats_.end(), [this](const OutputFormat& format) {
    return !format.from_disk() || takes_left_out(format, request_.qemu_img_options);
  });
}

void DiskStage::make_raw(OutputSource& source, const DiskTools& tools) const {
  const bool loader = boot_loader_ != BootLoader::none;
  GrubCores cores;
  if (loader) cores = GrubCores::start(firmware_of(layout_), layout_, source.boot, source.scratch, tools.runner);
  if (loader) write_boot_files(source.tree, layout_, source.boot, cores);
  const TreeUsage usage = measure_tree(source.tree);
  const Placement placement = place(layout_, size_kib(usage) * k_kib);
  require_room(source.tree, usage, layout_, placement);
  make_disk_file(layout_, source, placement, source.raw.file, tools, may_leave_out() ? &source.raw.left_out : nullptr);
  if (loader) install_bios_boot(source.raw.file, layout_, placement, source.boot, cores);
}

DiskLayout DiskStage::file_system_layout(const std::string& type) const {
  LayoutDefaults defaults = layout_defaults(request_);
  if (type != defaults.root_type)
    defaults.root_options = root_mkfs_options(type, request_.journal_size_mib, std::nullopt, "");
  defaults.root_type = type;
  return assign_ids(parse_block_config(builtin_block_config(), "built-in layout", defaults).value_or_throw(), id_seed_);
}

void DiskStage::make_file_system_image(const std::string& type, const OutputSource& source, const fs::path& raw,
                                       const DiskTools& tools) const {
  const DiskLayout layout = file_system_layout(type);
  const SizeRule rule = size_rule();
  const TreeUsage usage = measure_tree(source.tree);
  const Placement placement = place(layout, image_size(usage, rule, layout));
  require_room(source.tree, usage, layout, placement);
  make_disk_file(layout, source, placement, raw, tools, nullptr);
}

}  // namespace hearth::builder
