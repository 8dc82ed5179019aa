// The program hearth: the command tables of all rooms in one, with the journeys that they belong to and the topics of
// its help.
#pragma once

#include "base/cli/command.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::bootstrap::program {

/// The whole table. `executable` is the program's own file, beside which it finds what was installed with it.
[[nodiscard]] cli::Program make_program(const fs::path& executable);

/// The journeys, in the order of help.
[[nodiscard]] std::vector<cli::Group> journeys();

/// What `hearth help` explains besides commands: exit codes, variables, files, sites without network.
[[nodiscard]] std::vector<cli::Topic> help_topics();

/// HEARTH_… that are set, read by nobody, and a letter or two away from one that is: a line for each.
[[nodiscard]] std::vector<std::string> misspelt_variables(const Environment& environment);

}  // namespace hearth::bootstrap::program
