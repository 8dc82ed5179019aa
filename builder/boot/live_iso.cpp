#include "builder/boot/live_iso.hpp"

#include <fcntl.h>

#include <array>
#include <boost/filesystem/directory.hpp>
#include <ctime>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/boot/boot_tree.hpp"
#include "builder/boot/efi_loaders.hpp"
#include "builder/boot/live_initrd.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/disk/file_system_maker.hpp"
#include "builder/packing/checksums.hpp"
#include "builder/packing/squashfs.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_mib = 1024 * 1024;
constexpr const char* k_label = "HEARTH_LIVE";

/// xorriso's form of a time: YYYYMMDDhhmmss and hundredths.
std::string iso_time(std::int64_t epoch) {
  const auto seconds = static_cast<std::time_t>(epoch);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%d%H%M%S00", &parts);
  return text.data();
}

std::string quoted(const std::string& title) { return cat("'", replace_all(title, "'", ""), "'"); }

std::string menu(const LiveIso& iso) {
  std::string line = "boot=hearth-live";
  for (const std::string& console : iso.boot.consoles) line += cat(" console=", console);
  if (!trim(iso.boot.extra_command_line).empty()) line += cat(" ", trim(iso.boot.extra_command_line));
  return cat("set default=0\nset timeout=", iso.boot.timeout,
             "\nif serial --unit=0 --speed=115200; then\n  terminal_input console serial\n",
             "  terminal_output console serial\nfi\nmenuentry ", quoted(iso.title), " {\n  linux /live/vmlinuz ", line,
             "\n  initrd /live/initrd.img /live/medium.img\n}\n");
}

/// The EFI system partition, a FAT file system of just the size that it needs.
void make_efi_partition(const std::vector<BootFile>& files, const fs::path& work, const fs::path& image,
                        const BootOptions& boot, CommandRunner& runner) {
  static constexpr std::uint64_t k_slack = k_mib;
  const fs::path source = work / "efi";
  RealFileSystem().make_directories(source, 0755);
  std::uint64_t bytes = 0;
  for (const BootFile& file : files) {
    write_in_tree(source, file.path, file.bytes, boot.epoch);
    bytes += file.bytes.size();
  }
  const std::uint64_t size = (bytes + k_slack + k_mib - 1) / k_mib * k_mib;
  create_sparse_file(image, size);
  make_vfat({.file_system = {.name = "efi", .type = "vfat", .label = "EFI", .uuid = "4845-4152"},
             .extent = {0, size},
             .image = image,
             .source = source,
             .scratch = work,
             .epoch = boot.epoch},
            runner);
}

std::vector<BootFile> efi_files(const LiveIso& iso, const std::string& script, const fs::path& work,
                                CommandRunner& runner) {
  if (iso.boot.loader == LoaderKind::signed_grub) return signed_chain(iso.tree, iso.boot, "gcdx64.efi.signed");
  std::vector<std::string> modules = efi_modules();
  modules.insert(modules.end(), {"iso9660", "search_fs_file"});
  return {{"/EFI/BOOT/BOOTX64.EFI", make_core("x86_64-efi", modules, script, iso.boot, work, runner)}};
}

void stamp_all(const fs::path& directory, std::int64_t epoch) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (fs::symlink_status(entry.path()).type() == fs::directory_file) stamp_all(entry.path(), epoch);
    stamp_time(entry.path(), epoch);
  }
  stamp_time(directory, epoch);
}

}  // namespace

std::vector<std::string> iso_argv(const LiveIso& iso, const fs::path& staging, const fs::path& efi,
                                  const std::string& id, const fs::path& target) {
  return {"xorriso",
          "-as",
          "mkisofs",
          "-quiet",
          "-iso-level",
          "3",
          "-r",
          "-V",
          k_label,
          cat("--modification-date=", iso_time(iso.boot.epoch)),
          "--gpt_disk_guid",
          replace_all(id, "-", ""),
          "-b",
          "boot/grub/bios.img",
          "-no-emul-boot",
          "-boot-load-size",
          "4",
          "-boot-info-table",
          "--grub2-boot-info",
          "--grub2-mbr",
          (iso.boot.grub_files / "i386-pc/boot_hybrid.img").string(),
          "-append_partition",
          "2",
          std::string(k_esp_type),
          efi.string(),
          "-appended_part_as_gpt",
          "-eltorito-alt-boot",
          "-e",
          "--interval:appended_partition_2:all::",
          "-no-emul-boot",
          "-o",
          target.string(),
          staging.string()};
}

void make_live_iso(const LiveIso& iso, const fs::path& target, CommandRunner& runner) {
  const TempDir work = TempDir::create(iso.scratch, "iso-");
  const fs::path staging = work.path() / "staging";
  const fs::path squashfs = staging / "live/tree.squashfs";
  const KernelBytes kernel = read_kernel(iso.tree, iso.layout);
  RealFileSystem files;
  files.make_directories(staging / "live", 0755);
  make_squashfs(squashfs_argv(iso.tree, squashfs, iso.boot.epoch, "zstd"), runner);
  const Fd file = Fd::open(squashfs.string(), O_RDONLY);
  const std::string id = derived_uuid(digests_of(file, {HashKind::sha256}).front(), "live");
  const std::string mark = cat(".disk/", id);
  const auto add = [&](const std::string& path, std::string_view bytes) {
    write_in_tree(staging, cat("/", path), bytes, iso.boot.epoch);
  };
  add("live/vmlinuz", kernel.kernel);
  add("live/initrd.img", kernel.initrd);
  add("live/medium.img", live_ramdisk(iso.tree, kernel.version, mark, iso.boot.epoch));
  add(mark, "");
  add(".disk/info", cat(iso.title, "\n"));  // what Debian's signed GRUB looks for
  add("boot/grub/grub.cfg", menu(iso));
  const std::string script = cat("search.file /", mark, " root\nset prefix=($root)/boot/grub\n");
  add("boot/grub/bios.img", make_core("i386-pc-eltorito", {"biosdisk", "vga_text", "iso9660", "search_fs_file"}, script,
                                      iso.boot, work.path(), runner));
  const fs::path efi = work.path() / "efi.img";
  make_efi_partition(efi_files(iso, script, work.path(), runner), work.path(), efi, iso.boot, runner);
  stamp_all(staging, iso.boot.epoch);
  run_checked(runner, {.argv = iso_argv(iso, staging, efi, id, target), .env = maker_environment(iso.boot.epoch)});
}

}  // namespace hearth::builder
