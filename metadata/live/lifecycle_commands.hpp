// The rows of `hearth stack …` for what people do with a stack that is there: actions, signals, hooks, snapshots,
// export.
#pragma once

#include <vector>

#include "base/cli/command.hpp"
#include "base/json.hpp"

namespace hearth::metadata::live {

[[nodiscard]] std::vector<cli::Command> lifecycle_commands();
/// A line for each resource that waits for its hook to be cleared; `events`: of the whole tree, oldest first.
[[nodiscard]] std::vector<std::string> waiting_hooks(const std::string& stack, const Json& events);

}  // namespace hearth::metadata::live
