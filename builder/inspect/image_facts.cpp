#include "builder/inspect/image_facts.hpp"

#include <algorithm>

#include "base/cli/layout.hpp"
#include "base/text.hpp"
#include "builder/packages/dpkg_status.hpp"

namespace hearth::builder {

namespace {

/// NAME="value" of a file in the manner of os-release(5).
std::string setting(const std::string& text, const std::string& name) {
  for (const std::string& line : split_lines(text)) {
    if (!line.starts_with(cat(name, "="))) continue;
    std::string value = line.substr(name.size() + 1);
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0]) {
      value = value.substr(1, value.size() - 2);
    }
    return value;
  }
  return "";
}

std::string os_name(const FileTree& tree) {
  for (const char* path : {"etc/os-release", "usr/lib/os-release"}) {
    const std::string text = tree.text(path).value_or("");
    for (const char* name : {"PRETTY_NAME", "NAME", "ID"}) {
      if (std::string value = setting(text, name); !value.empty()) return value;
    }
  }
  return "";
}

std::vector<std::string> kernels_of(const FileTree& tree) {
  std::vector<std::string> found;
  for (auto it = tree.entries.lower_bound("boot/vmlinu"); it != tree.entries.end(); ++it) {
    if (!it->first.starts_with("boot/vmlinu")) break;
    const std::size_t dash = it->first.find('-');
    if (it->second.kind == 'f' && dash != std::string::npos) found.push_back(it->first.substr(dash + 1));
  }
  return found;
}

/// Names are compared in lower case: FAT keeps them as they were written.
std::vector<std::string> boot_loaders_of(const FileTree& tree, const FoundTable& table) {
  std::vector<std::string> found;
  bool grub = false;
  bool uefi = false;
  bool shim = false;
  bool systemd = false;
  bool unified = false;
  for (const auto& [path, entry] : tree.entries) {
    if (path.starts_with("boot/grub/") || path.starts_with("grub/")) grub = true;
    const std::string lower = to_lower(path);
    const std::size_t efi = lower.find("efi/");
    if (efi == std::string::npos || entry.kind != 'f' || !lower.ends_with(".efi")) continue;
    uefi = uefi || lower.find("efi/boot/boot") != std::string::npos;
    shim = shim || lower.find("/shim") != std::string::npos || lower.ends_with("/mmx64.efi");
    systemd = systemd || lower.find("/systemd-boot") != std::string::npos;
    unified = unified || lower.find("efi/linux/") != std::string::npos;
  }
  const bool bios_partition = std::any_of(table.partitions.begin(), table.partitions.end(),
                                          [](const FoundPartition& each) { return each.type == k_bios_boot_type; });
  if (table.boot_code && (grub || bios_partition)) found.emplace_back("GRUB (BIOS)");
  if (shim) found.emplace_back("shim (Secure Boot)");
  if (systemd) found.emplace_back("systemd-boot (UEFI)");
  if (unified) found.emplace_back("unified kernel image (UEFI)");
  if (uefi && !systemd && !unified) found.emplace_back(grub ? "GRUB (UEFI)" : "a loader in EFI/BOOT (UEFI)");
  return found;
}

std::vector<std::string> elements_of(const FileTree& tree) {
  for (const auto& [path, text] : tree.texts) {
    if (path.find("element") == std::string::npos || !path.starts_with("etc/dib-manifests/")) continue;
    std::vector<std::string> names = split_words(text);
    std::sort(names.begin(), names.end());
    return names;
  }
  return {};
}

}  // namespace

ImageFacts image_facts(const FileTree& system, const FoundTable& table) {
  ImageFacts facts{.os = os_name(system),
                   .host_name = std::string(trim(system.text("etc/hostname").value_or(""))),
                   .kernels = kernels_of(system),
                   .packages = parse_dpkg_status(system.text("var/lib/dpkg/status").value_or("")).size(),
                   .boot_loaders = boot_loaders_of(system, table),
                   .elements = elements_of(system)};
  for (const auto& [path, entry] : system.entries) {
    facts.files += entry.kind == 'f' ? 1U : 0U;
    facts.bytes += entry.size;
  }
  return facts;
}

std::string facts_text(const ImageFacts& facts, std::size_t room) {
  constexpr std::size_t k_values = 14;  // the column of values
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty())
      text += cat(cli::padded(name, k_values), room == 0 ? value : cli::wrapped(value, room, k_values, k_values), "\n");
  };
  line("System", facts.os);
  line("Host name", facts.host_name);
  line("Kernels", join(facts.kernels, ", "));
  line("Boot loader", join(facts.boot_loaders, ", "));
  line("Packages", facts.packages > 0 ? std::to_string(facts.packages) : "");
  line("Elements", join(facts.elements, " "));
  line("Files", facts.files > 0 ? cat(facts.files, ", ", human_bytes(facts.bytes)) : "");
  return text;
}

Json facts_json(const ImageFacts& facts) {
  return {{"os", facts.os},
          {"host_name", facts.host_name},
          {"kernels", facts.kernels},
          {"packages", facts.packages},
          {"boot_loaders", facts.boot_loaders},
          {"elements", facts.elements},
          {"files", facts.files},
          {"bytes", facts.bytes}};
}

}  // namespace hearth::builder
