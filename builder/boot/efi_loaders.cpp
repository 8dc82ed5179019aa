#include "builder/boot/efi_loaders.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/boot/boot_tree.hpp"
#include "builder/boot/unified_kernel.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_default_path = "/EFI/BOOT/BOOTX64.EFI";

/// Debian's signed GRUB reads /EFI/debian/grub.cfg on the partition that it was loaded from.
std::string pointer_to_config(const DiskLayout& layout) {
  const DiskFileSystem* const holder = layout.holding("/boot/grub/grub.cfg");
  if (holder == nullptr) throw Error(ErrorKind::input, "the disk layout mounts no file system at /");
  const std::string prefix = holder->mount_point == "/boot" ? "/grub" : "/boot/grub";
  return cat("search.fs_uuid ", holder->uuid, " root\nset prefix=($root)", prefix, "\nconfigfile $prefix/grub.cfg\n");
}

std::vector<BootFile> systemd_boot(const fs::path& tree, const DiskLayout& layout, const BootOptions& options) {
  const KernelBytes kernel = read_kernel(tree, layout);
  const std::string token = os_release_field(tree, "ID", "linux");
  const std::string name = os_release_field(tree, "PRETTY_NAME", options.title);
  const std::string directory = cat("/", token, "/", kernel.version);
  std::string entry = cat("title ", name, "\nversion ", kernel.version, "\noptions ",
                          full_command_line(layout, options), "\nlinux ", directory, "/linux\n");
  std::vector<BootFile> files = {
      {k_default_path, read_loader_file(tree, options.systemd_files / "systemd-bootx64.efi", "systemd-boot-efi")},
      {"/loader/loader.conf", cat("timeout ", options.timeout, "\n")},
      {"/loader/entries.srel", "type1\n"},
      {cat(directory, "/linux"), kernel.kernel}};
  if (!kernel.initrd.empty()) {
    entry += cat("initrd ", directory, "/initrd.img\n");
    files.push_back({cat(directory, "/initrd.img"), kernel.initrd});
  }
  files.push_back({cat("/loader/entries/", token, "-", kernel.version, ".conf"), entry});
  return files;
}

}  // namespace

std::vector<BootFile> signed_chain(const fs::path& tree, const BootOptions& options, const char* grub_file) {
  return {{k_default_path, read_loader_file(tree, options.shim_files / "shimx64.efi.signed", "shim-signed")},
          {"/EFI/BOOT/grubx64.efi",
           read_loader_file(tree, options.grub_files / "x86_64-efi-signed" / grub_file, "grub-efi-amd64-signed")},
          {"/EFI/BOOT/mmx64.efi",
           read_loader_file(tree, options.shim_files / "mmx64.efi.signed", "shim-helpers-amd64-signed")}};
}

std::vector<BootFile> efi_loader_files(const fs::path& tree, const DiskLayout& layout, const BootOptions& options) {
  if (options.loader == LoaderKind::systemd_boot) return systemd_boot(tree, layout, options);
  if (options.loader == LoaderKind::unified) return {{k_default_path, unified_kernel_of(tree, layout, options)}};
  std::vector<BootFile> files = signed_chain(tree, options, "grubx64.efi.signed");
  files.push_back({"/EFI/debian/grub.cfg", pointer_to_config(layout)});
  return files;
}

}  // namespace hearth::builder
