// Where an environment wants resources to pause: resource_registry.resources.NAME….hooks, names with wildcards.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::metadata::live {

/// Hooks ("pre-create", …) of the resource at "Compute.0.server". `resources`: {"Comp*": {"*": {"server": {"hooks":
/// …}}}}.
[[nodiscard]] std::vector<std::string> hooks_of(const Json& resources, const std::string& path);

}  // namespace hearth::metadata::live
