// The command table of a multi-command program: each row says its words, its options, its help and its function.
// `--help`, `help TOPIC`, manual pages, "did you mean" and shell completion are derived from the rows; run() is the one
// place that turns errors into exit codes: 0 ok, 1 failed, 2 usage, 130 interrupted; a failing hook's or child's own
// code is passed on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cli/options.hpp"
#include "base/cli/print.hpp"  // what commands answer by

namespace hearth::cli {

struct Command {
  std::string words;     ///< "image create"
  std::string operands;  ///< "ELEMENT…", as shown in the usage line
  std::string summary;   ///< one line
  std::string details;   ///< paragraphs for --help, as layout.hpp reads them; may be empty
  std::vector<Option> options;
  std::function<int(const Arguments&)> run;
  std::string group = {};                                ///< the name of its Group
  bool first = false;                                    ///< among those that people need first
  std::function<std::vector<std::string>()> names = {};  ///< what its operands may be, for completion; may be empty
  /// Options that other programs have ("mirror", "s"), and what is typed here in their place.
  std::vector<std::pair<std::string, std::string>> instead = {};
};

/// Commands of one journey.
struct Group {
  std::string name;     ///< "images": the topic of help
  std::string title;    ///< "Images"
  std::string details;  ///< paragraphs
};

/// What `help` explains besides groups and commands.
struct Topic {
  std::string name;   ///< "exit-codes"
  std::string title;  ///< "Exit codes"; its name as a section of a manual page, too
  std::string text;   ///< paragraphs
};

/// A page in Markdown. Its text lies elsewhere and outlives it: it is compiled in, or whoever shows the page has it.
struct Page {
  std::string name;   ///< "howto/ssh"; or a file's path
  std::string title;  ///< its headline
  std::string_view text;
};

/// A page of reference that is made when it is asked for.
struct Reference {
  std::string name;                   ///< "drivers": the topic of help
  std::string title;                  ///< its headline
  std::function<std::string()> text;  ///< in Markdown, what stands below
};

struct Program {
  std::string name;
  std::string summary;
  std::string version;
  std::vector<Command> commands;
  std::vector<Group> groups = {};  ///< in the order of help
  std::vector<Topic> topics = {};
  std::vector<Reference> references = {};
  std::vector<Command> links = {};  ///< programs of their own, started by a link of that name
  /// What there is now of what tables call NODE or STACK, for completion; the words are those typed behind the command.
  std::function<std::vector<std::string>(const std::string& what, const std::vector<std::string>& words)> known = {};
  /// Beginnings of commands that another program has ("node boot device"), and how it is called there.
  std::vector<std::pair<std::string, std::string>> elsewhere = {};
  std::vector<Page> pages = {};  ///< of a manual, "howto/ssh": `help ssh` prints one, `help manual` their names
  /// A page that is none of the manual's, by its name: the README of something. Its own name is its file's path.
  std::function<std::optional<Topic>(const std::string& name)> further = {};
  /// Names of further pages that a mistyped one is near to.
  std::function<std::vector<std::string>()> further_names = {};
  std::string pages_at = {};  ///< the directory in which they lie as files, beside others that they lead to
};

/// The rows with their group set; a row that names one keeps it.
[[nodiscard]] std::vector<Command> in_group(std::string_view group, std::vector<Command> rows);

/// The rows, where an answer that lacks something ends in an Error that tells what, and that "a conductor" never gave
/// it.
[[nodiscard]] std::vector<Command> answered_by(const std::string& service, std::vector<Command> rows);

/// The program's rows and those that every program has: help and completion. They refer to `program`.
[[nodiscard]] std::vector<Command> all_commands(const Program& program);

/// Finds the command that `words` start with, parses the rest and runs it. Prints help and errors. Never throws.
int run(const Program& program, const std::vector<std::string>& words) noexcept;

/// Whether --help or -h is among the words, for programs without a table: then they do nothing else.
[[nodiscard]] bool asks_for_help(const std::vector<std::string>& words);

/// Runs one command under its own name (a link such as disk-image-create). Never throws.
int run_single(const Program& program, const Command& command, const std::vector<std::string>& words) noexcept;

/// Runs what the name that the program was started by stands for: one of its links, or itself under that name.
int run_as(const std::string& name, Program program, const std::vector<std::string>& words) noexcept;

}  // namespace hearth::cli
