#include "builder/run/disk_writing.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/sys/file.hpp"
#include "base/sys/limits.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/boot/boot_settings.hpp"
#include "builder/boot/kernels.hpp"
#include "builder/disk/direct_maker.hpp"
#include "builder/disk/guest/guest_maker.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/guestfs/appliance_settings.hpp"
#include "builder/output/old_output.hpp"
#include "builder/packing/checksums.hpp"
#include "builder/run/earlier_outputs.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder {

namespace {

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

class DiskWriter {
 public:
  DiskWriter(const DiskPlan& disk, const ImageRequest& request, const DiskTools& tools)
      : disk_(disk), request_(request), tools_(tools), earlier_(request, tools.note) {}
  std::vector<fs::path> write(const fs::path& root);

 private:
  bool boots_without_disk(const fs::path& root) const;
  void make_raw(OutputSource& source) const;
  /// Makes the disks beside the first; returns what is to be written of each.
  std::vector<OutputSource> make_further(const OutputSource& source) const;
  void make_disk_file(const DiskLayout& layout, const OutputSource& source, const Placement& placement,
                      const fs::path& raw, std::vector<FilePiece>* left_out) const;
  void make_file_system_image(const std::string& type, const OutputSource& source, const fs::path& raw) const;
  bool may_leave_out() const;
  OutputSettings output_settings(const OutputSource& source) const;
  /// `together`: of several disks all their images, or none.
  void write_outputs_of(const DiskLayout& one, const OutputSource& source, FilesTogether* together);

  const DiskPlan& disk_;
  const ImageRequest& request_;
  const DiskTools& tools_;
  EarlierOutputs earlier_;
};

/// An archive of a tree with a boot loader holds the same files as one that is made beside a disk. A tree without a
/// kernel is for something else than booting.
bool DiskWriter::boots_without_disk(const fs::path& root) const {
  return !disk_.formats.empty() && disk_.boot_loader != BootLoader::none && has_kernel(root, disk_.layout);
}

std::vector<fs::path> DiskWriter::write(const fs::path& root) {
  const std::int64_t epoch = creation_time(tools_.environment);
  OutputSource source{.tree = root,
                      .raw = k_image_directory / "image0.raw",
                      .layout = disk_.layout,
                      .boot = boot_options(disk_, tools_.environment, epoch),
                      .scratch = k_temporary_directory,
                      .epoch = epoch};
  if (disk_.makes_disk()) {
    tools_.step("disk", [&] { make_raw(source); });
  } else if (boots_without_disk(root)) {
    tools_.step("boot files", [&] {
      const Firmware firmware{.bios = false, .uefi = firmware_of(disk_.layout).uefi};  // no disk, no boot sector
      GrubCores cores = GrubCores::start(firmware, disk_.layout, source.boot, source.scratch, tools_.runner);
      write_boot_files(root, disk_.layout, source.boot, cores);
    });
  }
  const std::vector<OutputSource> further = make_further(source);  // before the first output is there
  FilesTogether together;
  try {
    write_outputs_of(disk_.layout, source, further.empty() ? nullptr : &together);
    for (std::size_t i = 0; i < further.size(); ++i) write_outputs_of(disk_.layout.further[i], further[i], &together);
    together.place();
  } catch (...) {
    earlier_.take_back();
    throw;
  }
  earlier_.finish();
  return output_files(disk_, request_);
}

void DiskWriter::write_outputs_of(const DiskLayout& one, const OutputSource& source, FilesTogether* together) {
  std::vector<Output> outputs = outputs_of(disk_, one, request_);
  if (outputs.empty()) return;
  std::vector<std::string> names;
  for (Output& output : outputs) {
    const bool moves = output.format.kind == FormatKind::oci && !request_.overwrite;
    if (moves) output.kept = old_output_name(output.target, SystemClock().wall());
    for (const fs::path& file : files_of(output)) names.push_back(file.filename().string());
  }
  tools_.step(cat("output ", join(names, " ")), [&] {
    OutputSettings settings = output_settings(source);
    if (&one != &disk_.layout) settings.disk.index.clear();  // which knows one disk
    settings.disk.together = together;
    for (const Output& output : outputs) {
      const fs::path earlier = earlier_.keep(output);
      if (output.format.kind == FormatKind::qcow2 && !settings.disk.index.empty()) settings.disk.earlier = earlier;
    }
    earlier_.keep_evidence();
    const Umask users(tools_.umask);
    write_outputs(outputs, source, settings, tools_.runner, usable_processors());
  });
}

std::vector<OutputSource> DiskWriter::make_further(const OutputSource& source) const {
  std::vector<OutputSource> made;
  for (const DiskLayout& disk : disk_.makes_disk() ? disk_.layout.further : std::vector<DiskLayout>()) {
    OutputSource& own = made.emplace_back(source);
    own.layout = disk;
    own.raw.file = k_image_directory / cat("further", made.size(), ".raw");
    own.raw.left_out.clear();
    tools_.step(cat("disk ", disk.disk), [&] {
      const TreeUsage usage = measure_tree(own.tree);
      const Placement placement = place(disk, image_size(usage, size_rule(request_), disk));
      require_room(own.tree, usage, disk, placement);
      make_disk_file(disk, own, placement, own.raw.file, may_leave_out() ? &own.raw.left_out : nullptr);
    });
  }
  return made;
}

OutputSettings DiskWriter::output_settings(const OutputSource& source) const {
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
          .make_file_system = [this, &source](const std::string& type, const fs::path& raw) {
            make_file_system_image(type, source, raw);
          }};
}

void DiskWriter::make_disk_file(const DiskLayout& layout, const OutputSource& source, const Placement& placement,
                                const fs::path& raw, std::vector<FilePiece>* left_out) const {
  const bool whole = &layout == &disk_.layout;  // hooks are for the disk, not for an image of one of its file systems
  const DiskMaker maker = whole && disk_.maker ? disk_.maker->maker : choose_maker(layout, request_.disk_maker).maker;
  if (maker == DiskMaker::direct) {
    make_disk(source.tree, layout, placement, raw, {.scratch = source.scratch, .epoch = source.epoch}, tools_.runner,
              left_out);
    return;
  }
  const SystemClock clock;
  ApplianceSettings settings = appliance_settings(request_.environment, request_.cache, source.scratch, clock);
  make_guest_disk(source.tree, layout, placement, raw,
                  {.scratch = source.scratch,
                   .epoch = source.epoch,
                   .reproducible = tools_.environment.contains("SOURCE_DATE_EPOCH"),
                   .start = appliance_starter(std::move(settings)),
                   .hooks = whole ? tools_.hooks : std::vector<DeviceHook>(),
                   .on_step = tools_.line},
                  tools_.runner);
}

/// Whether nothing needs the whole raw disk.
bool DiskWriter::may_leave_out() const {
  return std::all_of(disk_.formats.begin(), disk_.formats.end(), [this](const OutputFormat& format) {
    return !format.from_disk() || takes_left_out(format, request_.qemu_img_options);
  });
}

void DiskWriter::make_raw(OutputSource& source) const {
  const bool loader = disk_.boot_loader != BootLoader::none;
  GrubCores cores;
  if (loader)
    cores = GrubCores::start(firmware_of(disk_.layout), disk_.layout, source.boot, source.scratch, tools_.runner);
  if (loader) write_boot_files(source.tree, disk_.layout, source.boot, cores);
  const TreeUsage usage = measure_tree(source.tree);
  const Placement placement = place(disk_.layout, image_size(usage, size_rule(request_), disk_.layout));
  require_room(source.tree, usage, disk_.layout, placement);
  make_disk_file(disk_.layout, source, placement, source.raw.file, may_leave_out() ? &source.raw.left_out : nullptr);
  if (loader) install_bios_boot(source.raw.file, disk_.layout, placement, source.boot, cores);
}

void DiskWriter::make_file_system_image(const std::string& type, const OutputSource& source,
                                        const fs::path& raw) const {
  const DiskLayout layout = file_system_layout(disk_, request_, type);
  const TreeUsage usage = measure_tree(source.tree);
  const Placement placement = place(layout, image_size(usage, size_rule(request_), layout));
  require_room(source.tree, usage, layout, placement);
  make_disk_file(layout, source, placement, raw, nullptr);
}

}  // namespace

void write_parameters(const DiskPlan& disk, const ImageRequest& request, const fs::path& directory) {
  fs::create_directories(directory);
  RealFileSystem files;
  const fs::path config = directory / "config.yaml";
  files.write(config, disk.config, {});
  files.write(directory / "params.yaml",
              cat("config: ", config.string(), "\nimage-dir: ", k_image_directory.string(),
                  "\nroot-fs-type: ", request.root_fs_type, "\nroot-label: ", request.root_label,
                  "\nmount-base: ", k_target_root.string(), "\nbuild-dir: ", k_build_directory.string(), "\n"),
              {});
}

void prepare_disk_tree(const DiskPlan& disk, const fs::path& root, const Environment& environment) {
  const std::int64_t epoch = creation_time(environment);
  const bool by_label = boot_settings(environment, epoch).root == RootName::label;
  prepare_tree(root, disk.layout, epoch, by_label ? FstabName::label : FstabName::uuid);
}

BootOptions boot_options(const DiskPlan& disk, const Environment& environment, std::int64_t epoch) {
  BootOptions options = boot_settings(environment, epoch);
  options.keep_config = disk.boot_loader == BootLoader::foreign;
  return options;
}

std::vector<fs::path> write_disk(const DiskPlan& disk, const ImageRequest& request, const fs::path& root,
                                 const DiskTools& tools) {
  return DiskWriter(disk, request, tools).write(root);
}

}  // namespace hearth::builder
