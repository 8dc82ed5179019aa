// What `hearth simulate` does.
#pragma once

#include "base/cli/options.hpp"

namespace hearth::simulation {

[[nodiscard]] int play_site(const cli::Arguments& arguments);

}  // namespace hearth::simulation
