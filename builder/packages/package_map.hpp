// pkg-map: an element's own names for packages, by default, family, distribution and release.
// Source of the format: diskimage-builder's element pkg-map.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hearth::builder {

class PackageMap {
 public:
  /// Parses the JSON of a pkg-map file and folds its sections for one system: default, then family, distro, release.
  [[nodiscard]] static Result<PackageMap> parse(std::string_view text, std::string_view file, const std::string& distro,
                                                const std::string& release);

  /// The packages behind a name; nothing when the map does not know it, empty when it says to skip it.
  [[nodiscard]] std::optional<std::vector<std::string>> find(const std::string& name) const;
  /// All that it knows, each with its packages, blanks between them.
  [[nodiscard]] const std::map<std::string, std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::string> names_;
};

/// Those that maps of packages and services know by name.
[[nodiscard]] const std::vector<std::string>& map_families();
[[nodiscard]] const std::vector<std::string>& map_distributions();

/// "redhat" for fedora, centos…; "debian" for debian, ubuntu; "suse", "gentoo"; else empty.
[[nodiscard]] std::string distribution_family(const std::string& distro);

}  // namespace hearth::builder
