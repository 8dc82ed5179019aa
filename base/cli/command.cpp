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
    tell(cat(name, ": ", bounded_story(error.story(), words), "\n"));
    if (error.kind() == ErrorKind::usage) tell(cat("Try '", name, " --help'.\n"));
    return error.exit_code();
  } catch (const Json::exception& error) {
    tell(cat(name, ": what was read is not of the form that it should have: ", json_fault(error), "\n"));
  } catch (const std::exception& error) {
    tell(cat(name, ": ", bounded_story(describe_unexpected(error), words), "\n"));
  }
  return 1;
}

/// A word that no option takes and nobody reads was meant for something; an empty one names nothing.
void refuse_operands(const std::string& name, const Command& command, const Arguments& arguments) {
  if (arguments.operands().empty()) return;
  if (!command.operands.empty()) {
    if (std::find(arguments.operands().begin(), arguments.operands().end(), "") == arguments.operands().end()) return;
    throw Error(ErrorKind::usage, cat(command.operands, ": an empty word names nothing; is a variable not set?"));
  }
  Error error(ErrorKind::usage,
              cat("'", arguments.operands().front(), "' is one word too many: ", name, " takes options only"));
  for (const auto& [value, what] : {std::pair{"SITE", "A site file"}, {"FILE", "A file"}}) {
    const auto takes = std::find_if(command.options.begin(), command.options.end(),
                                    [value = value](const Option& option) { return option.value_name == value; });
    if (takes == command.options.end()) continue;
    error.hint(cat(what, " is named by ", signature(*takes), "."));
    break;
  }
  throw Error(error);
}

/// "--server web1", where SERVER is what the command is told without an option; else empty.
std::string operand_meant(const Command& command, std::string_view fault) {
  for (const std::string& word : split_words(command.operands)) {
    std::string option = to_lower(word);
    std::erase_if(option, [](char c) { return (c < 'a' || c > 'z') && c != '-'; });
    if (fault.starts_with(cat("unrecognized option '--", option, "'"))) return word;
  }
  return "";
}

int run_command(const std::string& name, const Command& command, const std::vector<std::string>& words,
                bool must_take_operands = false) {
  const std::vector<Option> options = shown_options(command);
  const Arguments arguments = [&] {
    try {
      return parse_options(options, words);
    } catch (Error& error) {
      if (command.operands.find("COMMAND") != std::string::npos)
        error.hint("A COMMAND that has options of its own stands behind --: … -- uname -a");
      if (const std::string meant = operand_meant(command, error.what()); !meant.empty())
        error.hint(cat(meant, " stands by itself, without an option: ", name, " ", command.operands));
      throw;
    }
  }();
  if (options.size() > command.options.size() && arguments.has("help")) {
    print(command_help(name, command, width_of(stdout)));
    return 0;
  }
  if (must_take_operands) refuse_operands(name, command, arguments);
  return command.run(arguments);
}

/// "node power onn": what comes after "node power" in commands, the nearest or all; empty where that tells nothing.
std::string what_comes_next(const std::vector<std::string>& names, const std::vector<std::string>& words) {
  for (std::size_t taken = words.size() - 1; taken > 1; --taken) {
    const std::string begin = cat(join({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken)}, " "), " ");
    std::set<std::string> next;
    for (const std::string& name : names) {
      if (name.starts_with(begin)) next.insert(split_words(name.substr(begin.size())).front());
    }
    if (next.empty()) continue;
    const std::string other = cat(words[0], " ", words[taken]);  // "node power reboot"
    if (std::find(names.begin(), names.end(), other) != names.end())
      return cat("there is no command '", begin, words[taken], "'; did you mean '", other, "'?");
    const std::optional<std::string> near = nearest(words[taken], {next.begin(), next.end()});
    return cat("there is no command '", begin, words[taken], "'",
               near ? cat("; did you mean '", begin, *near, "'?")
                    : cat("; behind '", trim(begin), "' stands ", join({next.begin(), next.end()}, " or ")));
  }
  return "";
}

/// What other programs call the same, the likeliest first.
constexpr std::array<std::string_view, 7> k_alike = {"create build make new import add",
                                                     "boot run start up",
                                                     "delete remove rm destroy",
                                                     "show inspect info get describe",
                                                     "set edit change modify",
                                                     "list ls",
                                                     "lint validate check"};

/// "build" among the words that may stand behind "image": what other programs mean by it.
std::optional<std::string> alike(const std::string& word, const std::vector<std::string>& known) {
  for (const std::string_view set : k_alike) {
    const std::vector<std::string> words = split_words(set);
    if (std::find(words.begin(), words.end(), word) == words.end()) continue;
    for (const std::string& other : words) {
      if (std::find(known.begin(), known.end(), other) != known.end()) return other;
    }
  }
  return std::nullopt;
}

/// "import", which stands behind "node": "'node import'"; empty where nothing ends so.
std::string names_that_end_in(const std::vector<std::string>& names, const std::string& word) {
  constexpr std::size_t k_told = 4;
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name.ends_with(cat(" ", word))) found.push_back(cat("'", name, "'"));
  }
  const bool has_more = found.size() > k_told;
  if (has_more) found.resize(k_told);
  return cat(join(found, " or "), has_more ? " or another that ends so" : "");
}

/// A second word that no command has behind such a first one.
[[noreturn]] void unknown_second(const Program& program, const std::vector<std::string>& words,
                                 const std::vector<std::string>& names, const std::vector<std::string>& seconds) {
  const std::string what = cat("there is no command '", words[0], " ", words[1], "'");
  const std::string first = cat(program.name, " ", words[0]);
  if (words[1] == "help")
    throw Error(ErrorKind::usage, cat(what, "; did you mean '", program.name, " help ", words[0], "'?"));
  std::optional<std::string> meant = alike(words[1], seconds);
  if (!meant && std::find(names.begin(), names.end(), words[1]) != names.end())  // "node why n3"
    throw Error(ErrorKind::usage, cat(what, "; did you mean '", join({words.begin() + 1, words.end()}, " "), "'?"));
  if (const std::string whole = names_that_end_in(names, words[1]); !meant && !whole.empty())  // "image lint"
    throw Error(ErrorKind::usage, cat(what, "; did you mean ", whole, "?"));
  if (!meant) meant = nearest(words[1], seconds);
  if (meant) throw Error(ErrorKind::usage, cat(what, "; did you mean '", words[0], " ", *meant, "'?"));
  throw Error(ErrorKind::usage, what).hint(cat("`", first, "` prints those that begin so."));
}

/// "disk-image-create": what other programs call a command in one word.
std::optional<std::string> written_in_one(const std::string& word, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.find(' ') != std::string::npos && word.ends_with(cat("-", replace_all(name, " ", "-")))) return name;
  }
  return std::nullopt;
}

/// Options and what they stand before are no part of a command's name.
std::vector<std::string> words_of_name(std::vector<std::string> words) {
  const auto option =
      std::find_if(words.begin() + 1, words.end(), [](const auto& word) { return word.starts_with('-'); });
  words.erase(option, words.end());
  return words;
}

[[noreturn]] void unknown_command(const Program& program, const std::vector<std::string>& given) {
  const std::vector<std::string> words = words_of_name(given);
  if (words[0] == "version" || nearest(words[0], {"--version", "--help"})) {
    const std::string meant = nearest(words[0], {"--version", "--help"}).value_or("--version");
    throw Error(ErrorKind::usage, cat("there is no command '", words[0], "'; did you mean '", meant, "'?"));
  }
  for (const auto& [begin, there] : program.elsewhere) {
    if (cat(join(words, " "), " ").starts_with(cat(begin, " ")))
      throw Error(ErrorKind::usage, cat("there is no command '", begin, "' here")).hint(there);
  }
  std::vector<std::string> names;
  std::vector<std::string> seconds;  // behind the first word
  for (const Command& command : all_commands(program)) {
    names.push_back(command.words);
    const std::vector<std::string> row = split_words(command.words);
    if (row.size() > 1 && row[0] == words[0]) seconds.push_back(row[1]);
  }
  if (const std::string next = what_comes_next(names, words); !next.empty()) throw Error(ErrorKind::usage, next);
  std::vector<std::string> groups;
  for (const std::string& name : names) groups.push_back(name.substr(0, name.find(' ')));
  if (words.size() > 1 && !seconds.empty()) unknown_second(program, words, names, seconds);
  if (const std::string whole = names_that_end_in(names, words[0]); !whole.empty())
    throw Error(ErrorKind::usage, cat("there is no command '", words[0], "'; did you mean ", whole, "?"));
  const std::string two = words.size() > 1 ? cat(words[0], " ", words[1]) : words[0];
  std::optional<std::string> near = nearest(two, names);
  const std::string& told = near ? two : words[0];
  if (!near) near = written_in_one(words[0], names);
  if (!near) near = nearest(words[0], names);
  if (!near) near = nearest(words[0], groups);
  throw Error(ErrorKind::usage,
              cat("there is no command '", told, "'", near ? cat("; did you mean '", *near, "'?") : ""));
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
    const std::vector<Command> rows = all_commands(program);
    if (const Command* row = row_of(rows, words)) {
      const std::string name = cat(program.name, " ", row->words);
      const auto used = static_cast<std::ptrdiff_t>(words_matched(*row, words));
      return guarded(name, words, [&] { return run_command(name, *row, {words.begin() + used, words.end()}, true); });
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
