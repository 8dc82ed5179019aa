// What was meant by a command line of which no command's name is the beginning, or that has a word too many.
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::cli {

/// Throws Error(usage) with the nearest command. `given` are all words of the command line, not none.
[[noreturn]] void unknown_command(const Program& program, const std::vector<std::string>& given);

/// Throws Error(usage) for words that the command does not take: empty ones, any where it takes none, and one too many
/// that another command or an option takes.
void refuse_operands(const Program& program, const Command& command, const Arguments& arguments);

}  // namespace hearth::cli
