// `hearth seed handover`.
#pragma once

#include "base/cli/command.hpp"
#include "bootstrap/seed/takeover_commands.hpp"

namespace hearth::bootstrap {

[[nodiscard]] cli::Command handover_command(const FindSeed& find);

}  // namespace hearth::bootstrap
