// `hearth pxe …`.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::pxe {

[[nodiscard]] std::vector<cli::Command> commands();

}  // namespace hearth::pxe
