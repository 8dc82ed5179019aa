#include "builder/output/format.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

const std::vector<std::string>& known_names() {
  // qemu-img 7.2 can open more, but writes only these.
  static const std::vector<std::string> names = {"raw", "qcow2", "tar",  "tgz", "vmdk",     "vdi",
                                                 "vpc", "vhdx",  "qcow", "qed", "parallels"};
  return names;
}

FormatKind kind_of(const std::string& name) {
  if (name == "raw") return FormatKind::raw;
  return name == "tar" || name == "tgz" ? FormatKind::archive : FormatKind::qemu;
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
  const bool qemu = std::any_of(formats.begin(), formats.end(),
                                [](const OutputFormat& format) { return format.kind == FormatKind::qemu; });
  return qemu ? std::vector<NeededProgram>{{"qemu-img", "qemu-utils"}} : std::vector<NeededProgram>{};
}

}  // namespace hearth::builder
