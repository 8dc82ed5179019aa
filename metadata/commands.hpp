// The rows of `hearth metadata …` that compile, check and explain.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::metadata {

[[nodiscard]] std::vector<cli::Command> commands();

}  // namespace hearth::metadata
