// os-collect-config: polls sources of metadata, keeps what they say in files, and runs a command when it changed.
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::agent {

/// Its words, options and what they do, for manual pages; without a function.
[[nodiscard]] cli::Command os_collect_config_command();

/// The os-collect-config applet. `words` are its arguments, `argv` the whole command line as the program got it: with
/// that it executes itself again on SIGHUP or when its configuration changed.
/// Exit status: 0; that of the command with --one-time or --force; 1 for bad names, files or values; 2 for wrong usage.
[[nodiscard]] int os_collect_config_main(const std::vector<std::string>& words, const std::vector<std::string>& argv);

}  // namespace hearth::agent
