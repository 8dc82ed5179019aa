#include "builder/output/format.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

const std::vector<std::string>& known_names() {
  // qemu-img 7.2 can open more, but writes only these.
  static const std::vector<std::string> names = {"raw",  "qcow2", "tar", "tgz",  "squashfs", "aci", "docker",   "vhd",
                                                 "vmdk", "vdi",   "vpc", "vhdx", "qcow",     "qed", "parallels"};
  return names;
}

FormatKind kind_of(const std::string& name) {
  if (name == "raw") return FormatKind::raw;
  if (name == "squashfs") return FormatKind::squashfs;
  if (name == "docker") return FormatKind::docker;
  return name == "tar" || name == "tgz" || name == "aci" ? FormatKind::archive : FormatKind::qemu;
}

}  // namespace

std::vector<OutputFormat> parse_formats(std::string_view list) {
  std::vector<OutputFormat> formats;
  for (const std::string& part : split(list, ',')) {
    const std::string name(trim(part));
    if (name.empty()) continue;
    if (std::find(known_names().begin(), known_names().end(), name) == known_names().end()) {
      const auto meant = nearest(name, known_names());
      throw Error(ErrorKind::usage, cat("unknown image type ", name, meant ? cat(", did you mean ", *meant, "?") : ""))
          .hint(cat("Known types: ", join(known_names(), ", ")));
    }
    const OutputFormat format{name, kind_of(name)};
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
  }
  if (formats.empty()) throw Error(ErrorKind::usage, "no image type given");
  return formats;
}

std::vector<NeededProgram> programs_for(const std::vector<OutputFormat>& formats) {
  const auto any = [&](FormatKind kind) {
    return std::any_of(formats.begin(), formats.end(), [&](const OutputFormat& format) { return format.kind == kind; });
  };
  std::vector<NeededProgram> programs;
  if (any(FormatKind::qemu)) programs.push_back({"qemu-img", "qemu-utils"});
  if (any(FormatKind::squashfs)) programs.push_back({"mksquashfs", "squashfs-tools"});
  return programs;
}

}  // namespace hearth::builder
