// `hearth schema`: JSON schemas of the files that people write, for editors. Each is made by the reader of its file.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::bootstrap::program {

[[nodiscard]] std::vector<cli::Command> schema_commands();

}  // namespace hearth::bootstrap::program
