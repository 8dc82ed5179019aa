// `hearth simulate`: its row. What plays sites is a program of its own, which has this row, too (simulation/): there
// the calls for time and chance are answered by the world that is played.
#pragma once

#include <functional>
#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

[[nodiscard]] cli::Command simulate_row(std::function<int(const cli::Arguments&)> run);

/// The row that hands its words to that program, which is installed with `executable`.
[[nodiscard]] std::vector<cli::Command> simulate_commands(const fs::path& executable);

}  // namespace hearth::bootstrap
