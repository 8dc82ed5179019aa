// `hearth cache …` and `hearth image why`: what is kept of earlier builds, and why a build did what it did.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::builder {

[[nodiscard]] std::vector<cli::Command> cache_commands();

}  // namespace hearth::builder
