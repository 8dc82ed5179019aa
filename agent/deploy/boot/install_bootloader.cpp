#include "agent/deploy/boot/install_bootloader.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>

#include "agent/deploy/boot/mounted.hpp"
#include "agent/deploy/disk/disk_target.hpp"
#include "agent/deploy/partition/config_drive.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::string_view k_loader = "bootx64.efi";
constexpr std::string_view k_csv = "bootx64.csv";

/// The entry of `directory` with this name in any case, as it is written there (FAT does not care).
std::string entry_named(const std::string& directory, std::string_view name) {
  for (const std::string& entry : RealFileSystem().list(directory)) {
    if (to_lower(entry) == name) return entry;
  }
  return "";
}

std::string first_mebibyte(const std::string& disk) {
  const Fd fd = Fd::open(disk, O_RDONLY);
  std::string bytes(static_cast<std::size_t>(DiskTarget::k_held), 0);
  const ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) throw Error::from_errno("reading", disk);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

GptEntry find_esp(const std::string& disk, std::uint32_t sector) {
  const std::optional<Gpt> gpt = Gpt::parse(first_mebibyte(disk), sector);
  if (gpt) {
    for (const GptEntry& entry : gpt->entries()) {
      if (entry.type == k_esp_type) return entry;
    }
  }
  throw Error(ErrorKind::input, cat(disk, " has no EFI system partition"))
      .hint("The image can't be booted by UEFI: build one that can, or set the node's boot mode to bios.");
}

}  // namespace

std::vector<Loader> find_loaders(const std::string& esp) {
  std::vector<Loader> loaders;
  const RealFileSystem files;
  const std::string top = entry_named(esp, "efi");
  if (top.empty()) return loaders;
  for (const std::string& vendor : files.list(cat(esp, "/", top))) {
    const std::string folder = cat(esp, "/", top, "/", vendor);
    const std::string csv = entry_named(folder, k_csv);
    if (csv.empty()) continue;
    for (const CsvEntry& entry : parse_boot_csv(files.read(cat(folder, "/", csv)).value_or(""))) {
      const std::string loader = entry_named(folder, to_lower(entry.loader));
      if (!loader.empty()) loaders.push_back({entry.label, cat("\\", top, "\\", vendor, "\\", loader)});
    }
  }
  const std::string boot = entry_named(cat(esp, "/", top), "boot");
  const std::string loader = boot.empty() ? "" : entry_named(cat(esp, "/", top, "/", boot), k_loader);
  if (!loader.empty()) loaders.push_back({"Hearth", cat("\\", top, "\\", boot, "\\", loader)});
  return loaders;
}

std::string install_uefi_entry(const std::string& disk, std::uint32_t sector) {
  const GptEntry esp = find_esp(disk, sector);
  const std::string device = partition_path(disk, esp.number);
  std::vector<Loader> loaders;
  {
    const Mounted mounted("vfat", device, "/run/hearth-esp", MS_RDONLY);
    loaders = find_loaders("/run/hearth-esp");
  }
  if (loaders.empty()) {
    throw Error(ErrorKind::input, cat("the EFI system partition ", device,
                                      " has no loader: neither EFI/*/BOOTX64.CSV nor EFI/BOOT/BOOTX64.EFI"));
  }
  const Loader& loader = loaders.front();
  const std::string name =
      EfiVariables().put_first({loader.label, esp.number, esp.first, esp.last - esp.first + 1, esp.id, loader.path});
  return cat(name, " starts ", loader.path, " of ", device);
}

}  // namespace hearth::agent::deploy
