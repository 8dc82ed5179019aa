// `hearth metadata serve`: the engine with all its protocols, as one process.
#pragma once

#include "base/cli/command.hpp"

namespace hearth::metadata::live {

[[nodiscard]] cli::Command serve_command();

}  // namespace hearth::metadata::live
