#include "base/cli/command.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <set>

#include "base/cli/completion.hpp"
#include "base/cli/help.hpp"
#include "base/cli/layout.hpp"
#include "base/cli/manual.hpp"
#include "base/cli/markdown.hpp"
#include "base/cli/near_command.hpp"
#include "base/cli/near_file.hpp"
#include "base/cli/near_option.hpp"
#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/sys/limits.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

std::size_t width_of(std::FILE* stream) { return terminal_width(::fileno(stream), std::getenv("COLUMNS")); }

/// How many leading words of the command line are this command's name; 0 when they are not.
std::size_t words_matched(const Command& command, const std::vector<std::string>& words) {
  const std::vector<std::string> name = split_words(command.words);
  if (words.size() < name.size() || !std::equal(name.begin(), name.end(), words.begin())) return 0;
  return name.size();
}

/// Runs `body`, and turns whatever it throws into a message and an exit code.
template <class Body>
int guarded(const std::string& name, const std::vector<std::string>& words, const Body& body) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    const bool is_others = error.kind() == ErrorKind::external;  // what a program said of its own files
    const std::string meant = is_others ? "" : near_file_told(error.story(), words);
    tell(cat(name, ": ", bounded_story(error.story(), words), "\n", meant.empty() ? "" : cat("  ", meant, "\n")));
    if (error.kind() == ErrorKind::usage) tell(cat("Try '", name, " --help'.\n"));
    return error.exit_code();
  } catch (const Json::exception& error) {
    tell(cat(name, ": what was read is not of the form that it should have: ", json_fault(error), "\n"));
  } catch (const std::exception& error) {
    tell(cat(name, ": ", bounded_story(describe_unexpected(error), words), "\n"));
  }
  return 1;
}

/// `program`: that has the command among others; null of a link.
int run_command(const std::string& name, const Command& command, const std::vector<std::string>& words,
                const Program* program = nullptr) {
  const std::vector<Option> options = shown_options(command);
  const Arguments arguments = [&] {
    try {
      return parse_options(options, words);
    } catch (Error& error) {
      std::string told = option_advice(name, command, program, error.what());
      if (command.operands.find("COMMAND") != std::string::npos)
        told = cat("A COMMAND that has options of its own stands behind --: … -- uname -a. ", told);
      if (!told.empty()) error.hint(std::string(trim(told)));
      throw;
    }
  }();
  if (options.size() > command.options.size() && arguments.has("help")) {
    print(command_help(name, command, width_of(stdout)));
    return 0;
  }
  if (program != nullptr) refuse_operands(*program, command, arguments);
  return command.run(arguments);
}

int show_help(const Program& program, const Arguments& arguments) {
  if (const auto directory = arguments.value("man")) {
    static_cast<void>(write_manual(manual_chapters(program), *directory));
    return write_manual(manual_pages(program, all_commands(program)), *directory);
  }
  if (const auto directory = arguments.value("markdown"))
    return write_manual(markdown_pages(program, all_commands(program)), *directory);
  const std::string topic = join(arguments.operands(), " ");
  const std::size_t width = width_of(stdout);
  print(topic.empty() ? overview(program, width) : topic_help(program, topic, width));
  return 0;
}

Command help_row(const Program& program) {
  return {.words = "help",
          .operands = "[TOPIC]",
          .summary = "explain a group of commands, a command or a topic",
          .details = "",
          .options = {{"man", 0, "DIR", "write the manual pages of all commands, and of the manual's pages, to DIR"},
                      {"markdown", 0, "DIR", "the same in Markdown, with the topics"}},
          .run = [&program](const Arguments& arguments) { return show_help(program, arguments); }};
}

Command completion_row(const Program& program, const std::string& shell, const std::string& how) {
  return {.words = cat("completion ", shell),
          .operands = "",
          .summary = cat("print a completion script: ", how),
          .details = "",
          .options = {},
          .run = [&program, shell](const Arguments&) {
            print_exact(completion_script(program, shell));
            return 0;
          }};
}

/// --help, --version and what shells ask: what needs no row. Nothing when it is none of these.
std::optional<int> run_word(const Program& program, const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    if (!words.empty()) {
      print(overview(program, width_of(stdout)));
      return 0;
    }
    tell(overview(program, width_of(stderr)));
    return 2;
  }
  if (words[0] == "--version") {
    print(cat(program.name, " ", program.version, "\n"));
    return 0;
  }
  if (words[0] == "--complete") {
    print_exact(offer_lines(offers(program, {words.begin() + 1, words.end()})));
    return 0;
  }
  return std::nullopt;
}

/// A command line of first words alone ("image", "image --help"): the commands that begin with them. Nothing when none
/// does.
std::optional<int> run_first_words(const Program& program, std::vector<std::string> words) {
  const bool asked = words.back() == "--help" || words.back() == "-h";
  if (asked) words.pop_back();
  const std::string below = commands_below(program, join(words, " "), width_of(stdout));
  if (below.empty()) return std::nullopt;
  print(below);
  return asked ? 0 : 2;
}

/// The row whose name these words begin with, the longest if there are several; null when there is none.
const Command* row_of(const std::vector<Command>& rows, const std::vector<std::string>& words) {
  const Command* found = nullptr;
  std::size_t used = 0;
  for (const Command& row : rows) {
    if (words_matched(row, words) <= used) continue;
    used = words_matched(row, words);
    found = &row;
  }
  return found;
}

}  // namespace

bool asks_for_help(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

std::vector<Command> in_group(std::string_view group, std::vector<Command> rows) {
  for (Command& row : rows) {
    if (row.group.empty()) row.group = group;
  }
  return rows;
}

std::vector<Command> answered_by(const std::string& service, std::vector<Command> rows) {
  for (Command& row : rows) {
    row.run = [service, run = std::move(row.run)](const Arguments& arguments) {
      try {
        return run(arguments);
      } catch (const Json::exception& error) {
        throw Error(ErrorKind::input, cat("the answer is not ", service, "'s: ", json_fault(error)))
            .hint("is it another service that answers at this address, or one of another version?");
      }
    };
  }
  return rows;
}

std::vector<Command> all_commands(const Program& program) {
  std::vector<Command> rows = program.commands;
  rows.push_back(help_row(program));
  const std::string name = program.name;
  rows.push_back(completion_row(program, "bash", cat("eval \"$(", name, " completion bash)\"")));
  rows.push_back(completion_row(program, "zsh", cat("eval \"$(", name, " completion zsh)\"")));
  rows.push_back(completion_row(program, "fish", cat(name, " completion fish | source")));
  return rows;
}

int run(const Program& program, const std::vector<std::string>& words) noexcept {
  const int code = guarded(program.name, words, [&]() -> int {
    if (const std::optional<int> done = run_word(program, words)) return *done;
    if (words.size() == 2 && words[0] == "help" && is_option_of_others(program, words[1])) {
      print(option_help(program, words[1]));
      return 0;
    }
    const std::vector<Command> rows = all_commands(program);
    if (const Command* row = row_of(rows, words)) {
      const std::string name = cat(program.name, " ", row->words);
      const auto used = static_cast<std::ptrdiff_t>(words_matched(*row, words));
      const std::vector<std::string> rest(words.begin() + used, words.end());  // "site" of "site check" names no file
      return guarded(name, rest, [&] { return run_command(name, *row, rest, &program); });
    }
    if (const std::optional<int> done = run_first_words(program, words)) return *done;
    unknown_command(program, words);
  });
  return ended(program.name, code);
}

int run_single(const Program& program, const Command& command, const std::vector<std::string>& words) noexcept {
  return ended(program.name, guarded(program.name, words, [&] { return run_command(program.name, command, words); }));
}

int run_as(const std::string& name, Program program, const std::vector<std::string>& words) noexcept {
  const auto link =
      std::find_if(program.links.begin(), program.links.end(), [&](const Command& each) { return each.words == name; });
  const bool asked_by_shell = !words.empty() && words[0] == "--complete";
  if (link == program.links.end() || asked_by_shell) return run(program, words);
  const Command command = *link;
  program.name = name;
  return run_single(program, command, words);
}

}  // namespace hearth::cli
