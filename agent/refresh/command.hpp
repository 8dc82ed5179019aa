// os-refresh-config [--print-base] [--print-phases] [--log-level L] [--lockfile F] [--timeout S]
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::agent {

/// Its options and what they do.
[[nodiscard]] cli::Command os_refresh_config_command();

/// The os-refresh-config applet; `words` are its arguments. Environment: OS_REFRESH_CONFIG_BASE_DIR, PATH,
/// RUN_PARTS_REGEX. Exit status: 0, 1 a phase failed, 2 wrong usage, 11 another run holds the lock.
[[nodiscard]] int os_refresh_config_main(const std::vector<std::string>& words);

}  // namespace hearth::agent
