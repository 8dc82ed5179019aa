// cfn-hup: one pass over the resources that its hooks watch; meant to be called by a timer.
#pragma once

#include <string>
#include <vector>

#include "agent/cfn/metadata.hpp"

namespace hearth::agent {

/// A section of hooks.conf or hooks.d/*.
struct HupHook {
  std::string name;
  std::string triggers;  ///< post.update, service.restarted
  std::string path;      ///< Resources.<resource>.Metadata…
  std::string runas;
  std::string action;  ///< for the shell

  [[nodiscard]] std::string resource() const;
};

struct HupConfig {
  MetadataRequest request;  ///< of [main]: stack, credential-file, region
  std::vector<HupHook> hooks;
};

/// Reads cfn-hup.conf and the hooks' files. Throws Error(input) when something that is needed is missing.
[[nodiscard]] HupConfig read_hup_config(const FileReader& files, const fs::path& main_file, const fs::path& hooks_file,
                                        const fs::path& hooks_directory);

/// Restarts services that should run, and runs the actions of hooks whose metadata have changed. Exit status: 1 when a
/// resource has no metadata.
int run_hup(const HupConfig& config, const CfnWorld& world);

}  // namespace hearth::agent
