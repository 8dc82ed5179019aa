// `hearth image boot` and `hearth image test`.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::vm {

[[nodiscard]] std::vector<cli::Command> commands();

}  // namespace hearth::vm
