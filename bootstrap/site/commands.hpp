// `hearth site …`: the file that describes a site.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::bootstrap {

[[nodiscard]] std::vector<cli::Command> site_commands();

}  // namespace hearth::bootstrap
