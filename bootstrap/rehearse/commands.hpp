// `hearth rehearse`.
#pragma once

#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

/// `executable`: this program, which the rehearsal runs as its operator does.
[[nodiscard]] std::vector<cli::Command> rehearse_commands(const fs::path& executable);

}  // namespace hearth::bootstrap
