// The texts of --help and `help TOPIC`, made from a command table.
#pragma once

#include "base/cli/command.hpp"

namespace hearth::cli {

/// "usage: hearth image create [OPTION…] ELEMENT…": the words after "usage: ".
[[nodiscard]] std::string usage(const std::string& name, const Command& command);

/// A command's options and --help, which every command has.
[[nodiscard]] std::vector<Option> shown_options(const Command& command);

/// What a command called `name` is told by --help.
[[nodiscard]] std::string command_help(const std::string& name, const Command& command, std::size_t width);

/// Without words: the commands that people need first, then the names of all, by group.
[[nodiscard]] std::string overview(const Program& program, std::size_t width);

/// The commands whose words begin with these, with their summaries; empty when there are none.
[[nodiscard]] std::string commands_below(const Program& program, const std::string& prefix, std::size_t width);

/// A group, a command, words that commands begin with, "commands" (all of them), one of the program's topics or pages,
/// or something further that it knows (an element). Throws
/// Error(usage) with the nearest name for anything else.
[[nodiscard]] std::string topic_help(const Program& program, const std::string& topic, std::size_t width);

/// Everything that topic_help knows, without the commands' own words.
[[nodiscard]] std::vector<std::string> topic_names(const Program& program);

}  // namespace hearth::cli
