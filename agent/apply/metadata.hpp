// Where os-apply-config's metadata comes from: a list of JSON files, merged in order.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

inline constexpr std::string_view k_os_config_files = "/var/lib/os-collect-config/os_config_files.json";
inline constexpr std::string_view k_old_os_config_files = "/var/run/os-collect-config/os_config_files.json";

/// What the command line and the environment say about metadata files.
struct MetadataChoice {
  std::vector<std::string> files;     ///< -m; empty = look further
  std::vector<std::string> fallback;  ///< read first, lowest priority
  std::string list_file = std::string(k_os_config_files);
};

/// The files to read: those given, else $OS_CONFIG_FILES split at ":" (set but empty = none), else the list in
/// choice.list_file, or at the place where it used to be, with a warning. Throws Error(input) when the list is none.
[[nodiscard]] std::vector<std::string> metadata_files(const MetadataChoice& choice, const Environment& env,
                                                      const FileReader& reader, Logger& log);

/// Reads and merges the files in order. Empty names and missing files are skipped, documents that are no objects
/// ignored. Throws Error naming the file that can't be read or parsed.
[[nodiscard]] Json read_metadata(const std::vector<std::string>& files, const FileReader& reader);

/// Lays `upper` over `lower`: objects merge member by member, anything else replaces.
[[nodiscard]] Json merge_metadata(Json lower, Json upper);

/// The sub-object at "a.b", or the whole for an empty key. Throws Error(input) when there is no object.
[[nodiscard]] const Json& metadata_below(const Json& metadata, const std::string& dotted);

}  // namespace hearth::agent
