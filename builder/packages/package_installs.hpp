// package-installs.yaml (or .json): the packages that an element wants, by phase, with conditions. Parsed and checked
// before the first hook runs; evaluated when the environment of the build is known.
// Source of the format: diskimage-builder's element package-installs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/elements/closure.hpp"
#include "builder/elements/phase.hpp"
#include "builder/yaml/parse_faults.hpp"

namespace hearth::builder {

struct PackageEntry {
  enum class Action { install, uninstall, build_only };
  std::string package;
  std::string element;
  Phase phase = Phase::install;
  Action action = Action::install;
  std::vector<std::string> arch;  ///< empty = every
  std::vector<std::string> not_arch;
  std::string install_type;       ///< empty = every
  std::string python_version;     ///< dib_python_version; empty = every
  std::vector<std::string> when;  ///< "VAR = value" or "VAR != value"; all must hold
  Position at;
  std::string file;
};

/// One file. Faults name the key, its place and the keys that are allowed.
[[nodiscard]] Result<std::vector<PackageEntry>, ParseFaults> parse_package_installs(std::string_view text,
                                                                                    std::string_view file,
                                                                                    const std::string& element);

/// What the file may have, for editors: a JSON schema.
[[nodiscard]] std::string package_installs_schema();

/// All files of all elements, in element order. Throws one error with all faults.
[[nodiscard]] std::vector<PackageEntry> load_package_installs(const FileReader& files, const ElementSet& elements);

/// What to install and remove in one phase: package and the element that wants it, in element order.
struct PhasePackages {
  std::vector<std::pair<std::string, std::string>> install;
  std::vector<std::pair<std::string, std::string>> uninstall;
};

/// The entry with no conditions but those on the system itself (DISTRO_NAME, DIB_RELEASE, ARCH).
[[nodiscard]] PackageEntry for_any_build(PackageEntry entry);

/// Evaluates the conditions. Installing wins over removing the same package in the same phase. Throws Error(input) for
/// a condition on a variable that is not set.
[[nodiscard]] std::map<Phase, PhasePackages> choose_packages(const std::vector<PackageEntry>& entries,
                                                             const Environment& environment);

}  // namespace hearth::builder
