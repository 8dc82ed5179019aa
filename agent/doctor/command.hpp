// hearth-agent doctor at the edge of the world.
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::agent {

[[nodiscard]] cli::Command doctor_command();

/// `doctor [--json]`: exit status 0 when nothing is wrong, 1 when something is, 2 for wrong usage.
int doctor_main(const std::vector<std::string>& args);

}  // namespace hearth::agent
