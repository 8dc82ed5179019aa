#include "bootstrap/node/capabilities.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::bootstrap {

const std::vector<KnownCapability>& known_capabilities() {
  static const std::vector<KnownCapability> all = {{"boot_mode", {"bios", "uefi"}},
                                                   {"boot_option", {"local", "netboot", "ramdisk", "kickstart"}},
                                                   {"disk_label", {"gpt", "msdos"}},
                                                   {"node", {}},
                                                   {"profile", {}},
                                                   {"raid_level", {}},
                                                   {"secure_boot", {"true", "false"}},
                                                   {"trusted_boot", {"true", "false"}}};
  return all;
}

std::string capability_doubt(const std::string& name, const std::string& value) {
  std::vector<std::string> names;
  for (const KnownCapability& one : known_capabilities()) {
    names.emplace_back(one.name);
    if (one.name != name || value.empty() || one.values.empty()) continue;
    if (std::ranges::find(one.values, value) != one.values.end()) return "";
    const std::optional<std::string> near = nearest(to_lower(value), one.values);
    return cat("the capability ", name, " is ", join(one.values, ", "), ", not ", value,
               near ? cat("; did you mean ", *near, "?") : "");
  }
  if (std::ranges::find(names, name) != names.end()) return "";
  const std::optional<std::string> near = nearest(to_lower(name), names);
  return near ? cat("nothing reads a capability ", name, "; did you mean ", *near, "?") : "";
}

std::vector<std::string> capability_doubts(std::string_view text) {
  std::vector<std::string> doubts;
  for (const std::string& part : split(text, ',')) {
    const std::string item(trim(part));
    const std::size_t colon = item.find(':');
    if (item.empty()) continue;
    std::string doubt = colon == std::string::npos ? cat("'", item, "' is no KEY:VALUE")
                                                   : capability_doubt(std::string(trim(item.substr(0, colon))),
                                                                      std::string(trim(item.substr(colon + 1))));
    if (!doubt.empty()) doubts.push_back(std::move(doubt));
  }
  return doubts;
}

}  // namespace hearth::bootstrap
