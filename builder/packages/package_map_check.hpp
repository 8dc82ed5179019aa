// Checks of pkg-map files before anything runs: what is wrong is said with line, column and the keys that are allowed.
#pragma once

#include <string>
#include <string_view>

#include "base/sys/file.hpp"
#include "builder/elements/closure.hpp"
#include "builder/yaml/parse_faults.hpp"

namespace hearth::builder {

/// What is wrong with one file, whatever the system that is built; none when it is right.
[[nodiscard]] ParseFaults check_package_map(std::string_view text, std::string_view file);

/// Whether a pkg-map is data: an executable one is a program of the old kind, which nothing here can check.
[[nodiscard]] bool is_package_map_data(const FileReader& files, const fs::path& file);

/// All elements' maps. Throws one error with all faults.
void check_package_maps(const FileReader& files, const ElementSet& elements);

/// For editors (JSON schema, draft 7).
[[nodiscard]] std::string package_map_schema();

}  // namespace hearth::builder
