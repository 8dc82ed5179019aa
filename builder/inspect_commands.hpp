// hearth image layout, inspect and diff.
#pragma once

#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::builder {

[[nodiscard]] std::vector<cli::Command> inspect_commands(const fs::path& executable);

}  // namespace hearth::builder
