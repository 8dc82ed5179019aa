#include "builder/boot/grub.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/boot/boot_tree.hpp"
#include "builder/boot/efi_loaders.hpp"
#include "builder/boot/grub_image.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_sector = 512;
constexpr std::uint64_t k_partition_table_at = 0x1b8;  // boot code ends here: disk id and partition entries follow

std::optional<std::size_t> find_type(const DiskLayout& layout, std::string_view type) {
  for (std::size_t i = 0; i < layout.partitions.size(); ++i) {
    if (layout.partitions[i].type == type) return i;
  }
  return std::nullopt;
}

/// The mounted FAT file system on the EFI system partition.
const DiskFileSystem* efi_file_system(const DiskLayout& layout) {
  for (const DiskFileSystem& file_system : layout.file_systems) {
    if (!file_system.partition || !file_system.is_fat() || !file_system.holds_files()) continue;
    const std::string& type = layout.partitions[*file_system.partition].type;
    if (type == k_esp_type || type == "ef") return &file_system;
  }
  return nullptr;
}

/// What a loader needs to find and read grub.cfg and to start Linux; the same for both kinds.
const std::vector<std::string>& common_modules() {
  static const std::vector<std::string> modules = {
      "part_gpt",     "part_msdos", "ext2",       "fat",     "btrfs",    "search",  "search_fs_uuid",
      "search_label", "normal",     "configfile", "linux",   "boot",     "echo",    "ls",
      "cat",          "test",       "true",       "sleep",   "reboot",   "halt",    "serial",
      "terminal",     "minicmd",    "gzio",       "loadenv", "regexp",   "help",    "probe",
      "all_video",    "chain",      "xfs",        "lvm",     "mdraid1x", "mdraid09"};
  return modules;
}

/// The script inside a core image. $root and $prefix are all that normal mode needs to go on by itself.
std::string early_script(const DiskLayout& layout) {
  const DiskFileSystem* const holder = layout.holding("/boot/grub/grub.cfg");
  if (holder == nullptr) throw Error(ErrorKind::input, "the disk layout mounts no file system at /");
  const std::string prefix = holder->mount_point == "/boot" ? "/grub" : "/boot/grub";
  return cat("search.fs_uuid ", holder->uuid, " root\nset prefix=($root)", prefix, "\n");
}

/// Sectors where the core image may lie.
Extent core_room(const DiskLayout& layout, const Placement& placement) {
  if (const auto partition = find_type(layout, k_bios_boot_type)) return placement.partitions[*partition];
  std::uint64_t first = placement.disk_bytes;
  for (const Extent& extent : placement.partitions) first = std::min(first, extent.offset);
  if (!placement.ebr_offsets.empty()) first = std::min(first, placement.ebr_offsets.front());
  return {k_sector, first - k_sector};
}

void write_at(const Fd& fd, std::uint64_t offset, std::string_view bytes, const fs::path& raw) {
  const ssize_t written = ::pwrite(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (written != static_cast<ssize_t>(bytes.size()))
    throw Error::from_errno("writing the boot code into", raw.string());
}

/// GRUB's files and the package that has them, for one kind of firmware.
void require_files(const fs::path& directory, const char* file, const char* package) {
  if (fs::exists(directory / file)) return;
  throw Error(ErrorKind::not_found, cat("GRUB's files are not installed: ", (directory / file).string()))
      .hint(cat("Install (as root): apt-get install ", package));
}

}  // namespace

Firmware firmware_of(const DiskLayout& layout) {
  Firmware firmware;
  firmware.uefi = efi_file_system(layout) != nullptr;
  const bool room = layout.table == PartitionTable::mbr ||
                    (layout.table == PartitionTable::gpt && find_type(layout, k_bios_boot_type).has_value());
  firmware.bios = room && layout.sector_size == k_sector;
  return firmware;
}

const std::vector<std::string>& efi_modules() {
  static const std::vector<std::string> modules = {"efi_gop", "efi_uga", "efifwsetup"};
  return modules;
}

std::string make_core(const std::string& target, const std::vector<std::string>& extra_modules,
                      const std::string& script, const BootOptions& options, const fs::path& scratch,
                      CommandRunner& runner) {
  const TempDir work = TempDir::create(scratch, "grub-");
  const fs::path early = work.path() / "early.cfg";
  const fs::path core = work.path() / "core.img";
  RealFileSystem().write(early, script, {});
  const std::string directory = target == "i386-pc-eltorito" ? "i386-pc" : target;
  std::vector<std::string> argv = {
      "grub-mkimage", "-O", target,       "-d", (options.grub_files / directory).string(), "-c", early.string(), "-p",
      "/boot/grub",   "-o", core.string()};
  argv.insert(argv.end(), common_modules().begin(), common_modules().end());
  argv.insert(argv.end(), extra_modules.begin(), extra_modules.end());
  run_checked(runner, Command{.argv = argv, .env = maker_environment(options.epoch)});
  return read_file(core);
}

void require_grub(const Firmware& firmware, const BootOptions& options, const Environment& env) {
  if (options.loader != LoaderKind::grub && !firmware.uefi) {
    throw Error(ErrorKind::input,
                "the chosen boot loader (DIB_BOOTLOADER) starts UEFI machines only, and the disk layout has no EFI "
                "system partition")
        .hint("Use a layout with one, such as the element block-device-efi, or the loader grub.");
  }
  if (options.loader != LoaderKind::grub && !firmware.bios) return;
  if (firmware.bios || firmware.uefi) require_programs({{"grub-mkimage", "grub-common"}}, env);
  if (firmware.bios) require_files(options.grub_files / "i386-pc", "boot.img", "grub-pc-bin");
  if (firmware.uefi && options.loader == LoaderKind::grub)
    require_files(options.grub_files / "x86_64-efi", "normal.mod", "grub-efi-amd64-bin");
}

GrubCores GrubCores::start(const Firmware& firmware, const DiskLayout& layout, const BootOptions& options,
                           const fs::path& scratch, CommandRunner& runner) {
  const auto make = [&](const char* target, const std::vector<std::string>& modules) {
    return std::async(std::launch::async, [target, modules, script = early_script(layout), options, scratch, &runner] {
      return make_core(target, modules, script, options, scratch, runner);
    });
  };
  GrubCores cores;
  if (firmware.bios) cores.bios_ = make("i386-pc", {"biosdisk", "vga_text", "vbe"});
  if (firmware.uefi && options.loader == LoaderKind::grub) cores.uefi_ = make("x86_64-efi", efi_modules());
  return cores;
}

void write_boot_files(const fs::path& tree, const DiskLayout& layout, const BootOptions& options, GrubCores& cores) {
  const Firmware firmware = firmware_of(layout);
  if (!firmware.bios && !firmware.uefi) return;
  const bool grub = firmware.bios || options.loader == LoaderKind::grub || options.loader == LoaderKind::signed_grub;
  if (!options.keep_config) move_kernel_links(tree, layout, options.epoch);
  if (grub && !options.keep_config) {
    write_in_tree(tree, "/boot/grub/grub.cfg", grub_config(layout, find_kernels(tree, layout), options), options.epoch);
  }
  if (!firmware.uefi) return;
  std::vector<BootFile> files;
  if (options.loader == LoaderKind::grub) {
    files = {{"/EFI/BOOT/BOOTX64.EFI", cores.uefi()}};
  } else {
    files = efi_loader_files(tree, layout, options);
  }
  const std::string& esp = efi_file_system(layout)->mount_point;
  for (const BootFile& file : files) write_in_tree(tree, cat(esp, file.path), file.bytes, options.epoch);
}

void install_bios_boot(const fs::path& raw, const DiskLayout& layout, const Placement& placement,
                       const BootOptions& options, GrubCores& cores) {
  if (!firmware_of(layout).bios) return;
  const Extent room = core_room(layout, placement);
  const std::uint64_t sector = room.offset / k_sector;
  const std::string core = patched_core_image(cores.bios(), sector);
  if (core.size() > room.length) {
    throw Error(ErrorKind::input, cat("GRUB's core image (", human_bytes(core.size()), ") does not fit into the ",
                                      human_bytes(room.length), " kept for it"))
        .hint("Let the first partition begin at 1 MiB or later (partitioning: align).");
  }
  const std::string boot = patched_boot_sector(read_file(options.grub_files / "i386-pc/boot.img"), sector);
  const Fd fd = Fd::open(raw.string(), O_WRONLY);
  write_at(fd, room.offset, core, raw);
  write_at(fd, 0, std::string_view(boot).substr(0, k_partition_table_at), raw);
}

}  // namespace hearth::builder
