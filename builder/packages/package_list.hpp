// The old form of package-installs: files PHASE.d/package-installs-NAME, a package a line, "#" begins a comment. A
// package with "-" before it is installed for the time of the phase only. NAME is the element whose pkg-map applies.
// Source of the format: diskimage-builder's element package-installs, its programs package-installs and
// package-uninstalls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/elements/element.hpp"
#include "builder/packages/package_installs.hpp"

namespace hearth::builder {

[[nodiscard]] std::vector<PackageEntry> parse_package_list(std::string_view text, const std::string& file,
                                                           const std::string& element, Phase phase);

/// All such files of one element, in the phases that install packages.
[[nodiscard]] std::vector<PackageEntry> load_package_lists(const FileReader& files, const Element& element);

}  // namespace hearth::builder
