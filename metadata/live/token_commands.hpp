// `hearth metadata token …` and `hearth metadata audit`: who may use a stack service, and what they did.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::metadata::live {

[[nodiscard]] std::vector<cli::Command> token_commands();

}  // namespace hearth::metadata::live
