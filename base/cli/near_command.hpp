// What was meant by a command line of which no command's name is the beginning: words in another order, of another
// program, in the plural, in one, mistyped. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::cli {

/// "list nodes" → "node list", "node alpha power on" → "node power on alpha": the commands of `names` that have these
/// words, all of them as near; empty where none has.
[[nodiscard]] std::vector<std::string> commands_of_words(const std::vector<std::string>& names,
                                                         const std::vector<std::string>& words);

/// Throws Error(usage) with the nearest command. `given` are all words of the command line, not none.
[[noreturn]] void unknown_command(const Program& program, const std::vector<std::string>& given);

/// Throws Error(usage) for words that the command does not take: empty ones, any where it takes none, and one too many
/// that another command or an option takes.
void refuse_operands(const Program& program, const Command& command, const Arguments& arguments);

}  // namespace hearth::cli
