// `hearth bundle create|verify|list|unpack`.
#pragma once

#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap::bundle {

[[nodiscard]] std::vector<cli::Command> commands(const fs::path& executable);

}  // namespace hearth::bootstrap::bundle
