// The command line of os-apply-config.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/apply/metadata.hpp"
#include "base/cli/command.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

struct ApplyOptions {
  std::string templates;  ///< template root
  std::string output = "/";
  MetadataChoice metadata;
  bool validate = false;
  bool print_templates = false;
  std::string subhash;
  std::string key;  ///< empty = apply the tree
  std::string type = "default";
  std::optional<std::string> key_default;
  std::string boolean_key;
  bool diff = false;       ///< print what would change, write nothing
  bool check = false;      ///< exit 1 when something would change, write nothing
  bool need_keys = false;  ///< a variable that the metadata do not have is an error
  bool strict = false;     ///< quirks kept for old templates and scripts are errors
  bool help = false;
  bool version = false;
  std::vector<std::string> warnings;  ///< to be logged once there is a log
};

/// Options may be abbreviated; -m and --fallback-metadata take any number of values. Without --compat strict a second
/// -m replaces the first, as it always has. `files` tells which of the template roots exist. Throws Error(usage).
[[nodiscard]] ApplyOptions parse_apply_options(const std::vector<std::string>& args, const Environment& env,
                                               const FileReader& files);

[[nodiscard]] std::string apply_usage();
[[nodiscard]] std::string apply_help();
/// The same for a manual page; without a function.
[[nodiscard]] cli::Command os_apply_config_command();

}  // namespace hearth::agent
