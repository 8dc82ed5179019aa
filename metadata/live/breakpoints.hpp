// Where an environment wants resources to pause: resource_registry.resources.NAME….hooks, names with wildcards.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::metadata::live {

class Breakpoints {
 public:
  /// `resources`: {"Comp*": {"*": {"server": {"hooks": …}}}}. Throws Error for too many names with wildcards, each of
  /// which is compared with each resource.
  explicit Breakpoints(const Json& resources);

  /// Hooks ("pre-create", …) of the resource at "Compute.0.server".
  [[nodiscard]] std::vector<std::string> hooks_of(const std::string& path) const;

 private:
  struct Level {
    std::vector<std::string> hooks;
    std::map<std::string, std::unique_ptr<Level>> named;
    std::map<std::string, std::unique_ptr<Level>> patterns;
  };

  [[nodiscard]] std::unique_ptr<Level> read(const Json& node);

  std::size_t patterns_ = 0;
  std::unique_ptr<Level> top_;
};

}  // namespace hearth::metadata::live
