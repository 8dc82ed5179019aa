#include "pxe/boot/boot_files.hpp"

#include "base/text.hpp"

namespace hearth::pxe {

const std::vector<BootFile>& boot_files() {
  static const std::vector<BootFile> files = {
      {"undionly.kpxe", "/usr/lib/ipxe/undionly.kpxe", "ipxe"},
      {"snponly.efi", "/usr/lib/ipxe/snponly.efi", "ipxe"},
      {"ipxe.efi", "/boot/ipxe.efi", "ipxe"},
      {"pxelinux.0", "/usr/lib/PXELINUX/pxelinux.0", "pxelinux"},
      {"lpxelinux.0", "/usr/lib/PXELINUX/lpxelinux.0", "pxelinux"},
      {"ldlinux.c32", "/usr/lib/syslinux/modules/bios/ldlinux.c32", "syslinux-common"},
      {"libcom32.c32", "/usr/lib/syslinux/modules/bios/libcom32.c32", "syslinux-common"},
      {"libutil.c32", "/usr/lib/syslinux/modules/bios/libutil.c32", "syslinux-common"},
      {"chain.c32", "/usr/lib/syslinux/modules/bios/chain.c32", "syslinux-common"},
      {"shimx64.efi", "/usr/lib/shim/shimx64.efi.signed", "shim-signed"},
      {"mmx64.efi", "/usr/lib/shim/mmx64.efi", "shim-helpers-amd64-signed"},
      {"grubx64.efi", "/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed", "grub-efi-amd64-signed"},
  };
  return files;
}

FoundFiles find_boot_files(const FileReader& files, const std::string& prefix) {
  FoundFiles found;
  for (const BootFile& file : boot_files()) {
    if (files.status(prefix + file.path)) {
      found.paths[file.name] = prefix + file.path;
    } else {
      found.missing.push_back(cat(file.name, " (package ", file.package, ')'));
    }
  }
  return found;
}

std::vector<std::string> check_files(const Site& site, const FoundFiles& found, const FileReader& files) {
  std::vector<std::string> problems;
  const auto need = [&](const char* name, const char* what) {
    if (found.paths.count(name) > 0) return;
    for (const BootFile& file : boot_files()) {
      if (file.name == name) problems.push_back(cat(what, " need ", file.path, ": apt-get install ", file.package));
    }
  };
  need("undionly.kpxe", "BIOS machines");
  need("snponly.efi", "UEFI machines");
  need("shimx64.efi", "UEFI machines that boot from disk or with Secure Boot");
  need("grubx64.efi", "UEFI machines that boot from disk or with Secure Boot");
  const auto check = [&](const std::string& whose, const Profile& profile) {
    for (const std::string& path : {profile.kernel.text(), profile.ramdisk.text()}) {
      const bool is_url = path.find("://") != std::string::npos;
      if (!path.empty() && !is_url && !files.status(path)) problems.push_back(cat(whose, ": there is no file ", path));
    }
  };
  for (const auto& [state, profile] : site.profiles) check(cat("profile ", state_name(state)), profile);
  for (const Node& node : site.nodes) {
    if (node.profile) check(cat("profile of node ", node.name.empty() ? node.id : node.name), *node.profile);
  }
  return problems;
}

}  // namespace hearth::pxe
