#include "builder/run/disk_checks.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/disk/file_system_maker.hpp"
#include "builder/guestfs/appliance_check.hpp"
#include "builder/run/disk_writing.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_trial_bytes = std::uint64_t{64} << 30;  // room for what only a large disk takes
constexpr const char* k_trial_uuid = "00000000-0000-4000-8000-000000000001";

}  // namespace

void check_tools(const DiskPlan& disk, const ImageRequest& request, const Environment& environment) {
  std::vector<NeededProgram> programs = programs_for(disk.formats, request.qemu_img_options);
  for (const DiskLayout* const one : disk.makes_disk() ? disks_of(disk) : std::vector<const DiskLayout*>()) {
    const std::vector<NeededProgram> makers = programs_for(*one);
    programs.insert(programs.end(), makers.begin(), makers.end());
  }
  if (!disk.formats.empty() && disk.boot_loader != BootLoader::none) {
    Firmware firmware = firmware_of(disk.layout);
    firmware.bios = firmware.bios && disk.makes_disk();  // only a disk has room for what the BIOS starts
    require_grub(firmware, boot_options(disk, environment, 0), environment);
  }
  bool appliance = disk.maker && disk.maker->maker == DiskMaker::guestfs;
  for (const OutputFormat& format : disk.formats) {
    if (format.kind != FormatKind::file_system) continue;
    const DiskLayout layout = file_system_layout(disk, request, format.name);
    const std::vector<NeededProgram> makers = programs_for(layout);
    programs.insert(programs.end(), makers.begin(), makers.end());
    const MakerChoice choice = choose_maker(layout, request.disk_maker);
    appliance = appliance || choice.maker == DiskMaker::guestfs;
  }
  const bool gzip =
      std::any_of(disk.formats.begin(), disk.formats.end(), [](const auto& each) { return each.name == "tgz"; });
  if (gzip && !request.gzip_program.empty()) {  // DIB_GZIP_BIN
    programs.push_back({request.gzip_program.front(), fs::path(request.gzip_program.front()).filename().string()});
  }
  require_programs(programs, environment);
  if (appliance) check_appliance(environment);
}

void check_options(const DiskPlan& disk, const ImageRequest& request, CommandRunner& runner, const fs::path& scratch) {
  std::vector<DiskFileSystem> tried;
  for (const DiskFileSystem* const each : all_file_systems(disk.layout)) {
    const DiskFileSystem& file_system = *each;
    const std::string own = root_mkfs_options(file_system.type, request.journal_size_mib, std::nullopt, "");
    const bool is_given = !file_system.options.empty() && file_system.options != split_words(own);
    const bool is_ours = file_system.is_ext() || file_system.type == "xfs" || file_system.type == "btrfs";
    if (is_given && is_ours && disk.maker && disk.maker->maker == DiskMaker::direct) tried.push_back(file_system);
  }
  const bool tries_qemu = !request.qemu_img_options.empty();
  if (tried.empty() && !tries_qemu) return;
  const TempDir directory = TempDir::create(scratch, "hearth-options");
  const fs::path image = directory.path() / "image";
  for (DiskFileSystem& file_system : tried) {
    create_sparse_file(image, k_trial_bytes);
    file_system.uuid = k_trial_uuid;
    try {
      make_file_system({.file_system = file_system,
                        .extent = {0, k_trial_bytes},
                        .sector_size = disk.layout.sector_size,
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
  for (const OutputFormat& format : disk.formats) {
    if (!tries_qemu || !format.from_disk() || format.name == "raw") continue;
    try {
      run_checked(runner, Command{.argv = trial_argv(format, image.string(), request.qemu_img_options)});
    } catch (Error& error) {
      throw Error(ErrorKind::usage, cat("--qemu-img-options '", request.qemu_img_options,
                                        "': qemu-img refuses them for ", format.name, ": ", error.what()))
          .hint(cat("qemu-img create -f ", format.name, " -o help x lists what there is."));
    }
  }
}

void check_places(const DiskPlan& disk, const ImageRequest& request) {
  for (const Output& output : all_outputs(disk, request)) {
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

}  // namespace hearth::builder
