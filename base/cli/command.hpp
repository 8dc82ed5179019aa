// The command table of a multi-command program: each row says its words, its options, its help and its function.
// `--help`, "did you mean" and shell completion are derived from the rows; run() is the one place that turns errors
// into exit codes: 0 ok, 1 failed, 2 usage, 130 interrupted; a failing hook's or child's own code is passed on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/options.hpp"

namespace hearth::cli {

struct Command {
  std::string words;     ///< "image create"
  std::string operands;  ///< "ELEMENT…", as shown in the usage line
  std::string summary;   ///< one line
  std::string details;   ///< paragraphs for --help; may be empty
  std::vector<Option> options;
  std::function<int(const Arguments&)> run;
};

struct Program {
  std::string name;
  std::string summary;
  std::string version;
  std::vector<Command> commands;
};

/// Finds the command that `words` start with, parses the rest and runs it. Prints help and errors. Never throws.
int run(const Program& program, const std::vector<std::string>& words) noexcept;

/// Runs one command under its own name (a link such as disk-image-create). Never throws.
int run_single(const Program& program, const Command& command, const std::vector<std::string>& words) noexcept;

/// A bash completion script for the whole table.
[[nodiscard]] std::string bash_completion(const Program& program);

/// What a command answers, to standard output.
void print(std::string_view text);

}  // namespace hearth::cli
