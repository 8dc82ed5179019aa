// `hearth seed …`.
#pragma once

#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

/// `executable`: this program, which builds the seed's image and becomes part of it.
[[nodiscard]] std::vector<cli::Command> seed_commands(const fs::path& executable);

}  // namespace hearth::bootstrap
