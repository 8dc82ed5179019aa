// dpkg's database of a target tree, as far as a builder asks it: which packages are installed, in which version.
// Source of the format: deb-src-control(5) paragraphs in /var/lib/dpkg/status, dpkg's manual.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::builder {

struct InstalledPackage {
  std::string version;
  std::string architecture;
  bool is_base = false;              ///< Essential, or of priority required or important
  std::vector<std::string> depends;  ///< names, also of packages to unpack before; of alternatives all
  bool operator==(const InstalledPackage&) const = default;
};

/// Installed packages ("install ok installed" and the like) by name.
[[nodiscard]] std::map<std::string, InstalledPackage> parse_dpkg_status(std::string_view text);

}  // namespace hearth::builder
