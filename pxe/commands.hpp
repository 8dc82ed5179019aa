// `hearth pxe …`.
#pragma once

#include <vector>

#include "base/cli/command.hpp"
#include "pxe/service.hpp"

namespace hearth::pxe {

/// `load`: reads a site file.
[[nodiscard]] std::vector<cli::Command> commands(const SiteLoader& load);

}  // namespace hearth::pxe
