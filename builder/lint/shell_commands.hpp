// The commands of a shell script, as far as its text tells: without comments, here-documents and what a variable holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::builder {

struct ShellCommand {
  int line = 0;
  std::vector<std::string> words;  ///< without quotes, redirections, and what stands before a command: sudo, A=b, if
};

[[nodiscard]] std::vector<ShellCommand> shell_commands(std::string_view text);

/// What a command has apt, apt-get or aptitude do: "install", "upgrade"; empty where it is none of them. "-t" and
/// the like, which take the next word, are passed over.
[[nodiscard]] std::string apt_action(const ShellCommand& command);

/// What it installs, as it is written: behind the action, without options.
[[nodiscard]] std::vector<std::string> apt_operands(const ShellCommand& command);

}  // namespace hearth::builder
