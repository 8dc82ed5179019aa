// Why a stack is where it is: the resource that waits or failed, and for what. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/why/causes/finding.hpp"

namespace hearth::bootstrap::why {

/// `stack` and `resources` (of nested stacks, too) as the stack service lists them: a resource that a hook holds has
/// its name as "hook". Never empty.
[[nodiscard]] std::vector<Finding> stack_causes(const Json& stack, const Json& resources);
/// Of one of them, by its path ("Compute.0.Deployment"): why it waits or failed; nothing where it does neither.
[[nodiscard]] std::optional<Finding> resource_cause(const Json& stack, const Json& resources, const std::string& path);
/// What commands call each of them: "Compute.0.Deployment".
[[nodiscard]] std::vector<std::string> paths_of(const Json& resources);
/// Those of them that have to end before any of these (paths) can begin: what is needed by one, by a stack that has it,
/// or by what is ahead itself. `unbegun`: rows that show the way.
[[nodiscard]] Json resources_ahead(const Json& resources, const Json& unbegun, const std::set<std::string>& paths);
/// The servers that have not asked for their metadata: their nodes are worth a look.
[[nodiscard]] std::vector<std::string> silent_servers(const Json& resources);

}  // namespace hearth::bootstrap::why
