#include "builder/output/format.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

struct Known {
  const char* name;
  FormatKind kind;
};

/// In the order of the help. qemu-img 7.2 can open more, but writes only those listed as its own.
const std::vector<Known>& known_formats() {
  using enum FormatKind;
  static const std::vector<Known> formats = {{"qcow2", qcow2},
                                             {"raw", raw},
                                             {"vhd", qemu},
                                             {"vhdx", qemu},
                                             {"vmdk", qemu},
                                             {"vdi", qemu},
                                             {"tar", archive},
                                             {"tgz", archive},
                                             {"tar.zst", archive},
                                             {"squashfs", squashfs},
                                             {"erofs", erofs},
                                             {"ext4", file_system},
                                             {"xfs", file_system},
                                             {"btrfs", file_system},
                                             {"docker", docker},
                                             {"oci", oci},
                                             {"oci-archive", oci_archive},
                                             {"aci", archive},
                                             {"kernel", kernel},
                                             {"uki", uki},
                                             {"iso", iso},
                                             {"vpc", qemu},
                                             {"qcow", qemu},
                                             {"qed", qemu},
                                             {"parallels", qemu}};
  return formats;
}

OutputFormat format_named(const std::string& name) {
  for (const Known& known : known_formats()) {
    if (name == known.name) return {name, known.kind};
  }
  const auto meant = nearest_format(name);
  throw Error(ErrorKind::usage, cat("unknown image type ", name, meant ? cat(", did you mean ", *meant, "?") : ""))
      .hint(cat("Known types: ", join(format_type_names(), ", ")));
}

}  // namespace

std::vector<std::string> format_type_names() {
  std::vector<std::string> names;
  for (const Known& known : known_formats()) names.emplace_back(known.name);
  return names;
}

const std::vector<std::pair<std::string, std::string>>& alike_format_names() {
  static const std::vector<std::pair<std::string, std::string>> names = {
      {"img", "raw"},          {"image", "raw"},      {"disk", "raw"},      {"dd", "raw"},
      {"qcow3", "qcow2"},      {"tar.gz", "tgz"},     {"targz", "tgz"},     {"gz", "tgz"},
      {"tar.zstd", "tar.zst"}, {"zst", "tar.zst"},    {"hyperv", "vhd"},    {"hyper-v", "vhd"},
      {"azure", "vhd"},        {"vmware", "vmdk"},    {"ova", "vmdk"},      {"efi", "uki"},
      {"squash", "squashfs"},  {"vmlinuz", "kernel"}, {"container", "oci"}, {"podman", "oci-archive"}};
  return names;
}

std::optional<std::string> nearest_format(const std::string& name) {
  const std::string plain = to_lower(name);
  for (const auto& [others, ours] : alike_format_names()) {
    if (others == plain) return ours;
  }
  return nearest(plain, format_type_names());
}

std::string OutputFormat::extension() const {
  switch (kind) {
    case FormatKind::squashfs: return "squash";
    case FormatKind::oci_archive: return "oci.tar";
    case FormatKind::uki: return "efi";
    case FormatKind::kernel: return "vmlinuz";
    default: return name;
  }
}

bool is_format(const std::string& name) {
  const std::vector<Known>& known = known_formats();
  return std::any_of(known.begin(), known.end(), [&](const Known& each) { return name == each.name; });
}

std::vector<OutputFormat> parse_formats(std::string_view list) {
  std::vector<OutputFormat> formats;
  for (const std::string& part : split(list, ',')) {
    const std::string name(trim(part));
    if (name.empty()) continue;
    const OutputFormat format = format_named(name);
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
  }
  if (formats.empty()) throw Error(ErrorKind::usage, "no image type given");
  return formats;
}

std::vector<NeededProgram> programs_for(const std::vector<OutputFormat>& formats, const std::string& qemu_options) {
  const auto any = [&](FormatKind kind) {
    return std::any_of(formats.begin(), formats.end(), [&](const OutputFormat& format) { return format.kind == kind; });
  };
  std::vector<NeededProgram> programs;
  const bool special_qcow2 = any(FormatKind::qcow2) && !qemu_options.empty();
  if (any(FormatKind::qemu) || special_qcow2) programs.push_back({"qemu-img", "qemu-utils"});
  if (any(FormatKind::squashfs) || any(FormatKind::iso)) programs.push_back({"mksquashfs", "squashfs-tools"});
  if (any(FormatKind::erofs)) programs.push_back({"mkfs.erofs", "erofs-utils"});
  if (any(FormatKind::iso)) {
    for (const NeededProgram& program : {NeededProgram{"xorriso", "xorriso"},
                                         {"grub-mkimage", "grub-common"},
                                         {"mkfs.vfat", "dosfstools"},
                                         {"mcopy", "mtools"}}) {
      programs.push_back(program);
    }
  }
  return programs;
}

}  // namespace hearth::builder
