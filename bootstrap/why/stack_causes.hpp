// Why a stack is where it is: the resource that waits or failed, and for what. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/why/finding.hpp"

namespace hearth::bootstrap::why {

/// `stack` and `resources` (of nested stacks, too) as the stack service lists them, and a line for each hook that
/// holds a resource. Never empty.
[[nodiscard]] std::vector<Finding> stack_causes(const Json& stack, const Json& resources,
                                                const std::vector<std::string>& hooks = {});
/// The servers that have not asked for their metadata: their nodes are worth a look.
[[nodiscard]] std::vector<std::string> silent_servers(const Json& resources);

}  // namespace hearth::bootstrap::why
