// The row `hearth metadata lsp`.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::metadata::lsp {

[[nodiscard]] std::vector<cli::Command> commands();

}  // namespace hearth::metadata::lsp
