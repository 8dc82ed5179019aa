// Which packages the repositories of a release have, by lists that lie on this machine: those of an earlier build's
// bootstrap, else those of its own apt.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/sys/file.hpp"

namespace hearth::builder {

/// A distribution and its release.
struct PackagedSystem {
  std::string distro;
  std::string release;
};

/// The release that this machine runs; empty where it is of another distribution.
[[nodiscard]] std::string host_release(const FileReader& files, const std::string& distro);

/// Lists of the release: its own, updates and security, plain or compressed. None where this machine has none.
[[nodiscard]] std::vector<fs::path> package_lists(const FileReader& files, const fs::path& cache,
                                                  const std::string& architecture, const PackagedSystem& system);

/// Systems that this machine has lists of, that of their main part among them.
[[nodiscard]] std::vector<PackagedSystem> listed_systems(const FileReader& files, const fs::path& cache,
                                                         const std::string& architecture);

/// Adds the names that a Packages file (deb822) has, and those that its packages provide.
void add_package_names(std::string_view list, std::unordered_set<std::string>& names);

/// "NAME:amd64", "NAME=1.0" and "NAME/suite" are NAME to apt; what else is no name (patterns, files, tasks) is empty.
[[nodiscard]] std::string plain_package(const std::string& word);

/// What a name stands for in the system, by an element's pkg-map, which may not be there; none where the map is wrong.
[[nodiscard]] std::vector<std::string> names_behind(const FileReader& files, const fs::path& map,
                                                    const std::string& name, const PackagedSystem& system);

/// Whether a file below the directory has the word, at most `depth` directories below.
[[nodiscard]] bool is_named_in(const FileReader& files, const fs::path& directory, std::string_view word, int depth);

}  // namespace hearth::builder
