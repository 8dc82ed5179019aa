// The rows of `hearth stack …`.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::metadata::live {

[[nodiscard]] std::vector<cli::Command> stack_commands();

}  // namespace hearth::metadata::live
