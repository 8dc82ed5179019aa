// How a container of an image is started: the part "config" of docker's and OCI's image configuration. It is given as
// instructions of a Dockerfile, which `docker import --change` and `podman commit --change` take, too. Sources: OCI
// Image Format Specification 1.0, config.md; Dockerfile reference. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/file.hpp"

namespace hearth::builder {

struct ContainerConfig {
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  ///< in the order of first mention
  std::map<std::string, std::string> labels;
  std::set<std::string> ports;  ///< "80/tcp"
  std::set<std::string> volumes;
  std::string user;
  std::string working_directory;
  std::string stop_signal;
  bool operator==(const ContainerConfig&) const = default;
};

/// Reads instructions, one each: `CMD ["nginx", "-g", "daemon off;"]`, `ENV A=1 B="two words"`. Later ones win over
/// earlier ones; ENV, LABEL, EXPOSE and VOLUME add. Values are taken as they are: an unquoted $NAME, which a Dockerfile
/// expands, is refused. Throws Error(usage) with `from` (the option, the variable).
[[nodiscard]] ContainerConfig parse_container_config(const std::vector<std::string>& instructions,
                                                     const std::string& from);

/// With what a container can't do without: a PATH, and where nothing is to be started the tree's shell.
[[nodiscard]] ContainerConfig with_defaults(ContainerConfig config, const FileReader& tree);

/// Its JSON text, without keys that have no value.
[[nodiscard]] std::string config_json(const ContainerConfig& config);

}  // namespace hearth::builder
