#include "base/cli/near_command.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "base/cli/command_words.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

using Names = std::vector<std::string>;

bool is_among(const std::string& word, const Names& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string quoted_or(const Names& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(cat("'", name, "'"));
  return join(quoted, " or ");
}

/// "import", which stands behind "node": "'node import'"; empty where nothing ends so.
std::string names_that_end_in(const Names& names, const std::string& word) {
  constexpr std::size_t k_told = 4;
  Names found;
  for (const std::string& name : names) {
    if (name.ends_with(cat(" ", word))) found.push_back(name);
  }
  const bool has_more = found.size() > k_told;
  if (has_more) found.resize(k_told);
  return cat(quoted_or(found), has_more ? " or another that ends so" : "");
}

/// A command line that begins with no command, and what commands there are.
struct UnknownLine {
  const Program& program;
  const Names& given;  ///< all words
  Names words;         ///< up to the first option: those behind are no part of a name
  Names names;         ///< of all commands
  Names seconds;       ///< what stands behind the first word in those

  [[nodiscard]] std::string first_two() const { return words.size() > 1 ? cat(words[0], " ", words[1]) : words[0]; }
};

/// `meant`: commands, in quotes; may be empty.
Error no_command(const std::string& typed, const std::string& meant) {
  return {ErrorKind::usage,
          cat("there is no command '", typed, "'", meant.empty() ? "" : cat("; did you mean ", meant, "?"))};
}

/// What one rule makes of a line; nothing where it knows nothing of it.
using Guess = std::optional<Error>;

/// "-V", "--verbose node list": before a command only two options stand.
Guess option_in_front(const UnknownLine& line) {
  const Names& given = line.given;
  const std::string& option = given[0];
  if (!option.starts_with('-')) return std::nullopt;
  const bool is_version = to_lower(option) == "-v" || option == "-version";
  const std::optional<std::string> near =
      is_version ? std::optional<std::string>("--version") : nearest(option, {"--version", "--help"});
  if (near) return no_command(option, cat("'", *near, "'"));
  const auto word = std::find_if(given.begin(), given.end(), [](const auto& each) { return !each.starts_with('-'); });
  if (word == given.end()) return no_command(option, "");
  Names moved(word, given.end());
  moved.insert(moved.end(), given.begin(), word);
  return no_command(option, cat("'", join(moved, " "), "'")).hint("Options stand behind the command.");
}

/// "version", "-version", "hlep"
Guess option_without_dashes(const UnknownLine& line) {
  const std::optional<std::string> near = nearest(line.words[0], {"--version", "--help"});
  if (!near && line.words[0] != "version") return std::nullopt;
  return no_command(line.words[0], cat("'", near.value_or("--version"), "'"));
}

/// Where another program does it, or what is typed here in its place.
Guess elsewhere_by(const UnknownLine& line, const std::string& typed, bool is_long) {
  for (const auto& [begin, there] : line.program.elsewhere) {
    const bool has_words = begin.find(' ') != std::string::npos;
    if (has_words == is_long && cat(typed, " ").starts_with(cat(begin, " ")))
      return Error(ErrorKind::usage, cat("there is no command '", is_long ? begin : line.words[0], "' here"))
          .hint(there);
  }
  return std::nullopt;
}

Guess elsewhere_by_words(const UnknownLine& line) { return elsewhere_by(line, join(line.words, " "), true); }
Guess elsewhere_by_word(const UnknownLine& line) { return elsewhere_by(line, line.words[0], false); }

/// "image help"
Guess help_behind(const UnknownLine& line) {
  if (line.words.size() < 2 || line.words[1] != "help") return std::nullopt;
  return no_command(line.first_two(), cat("'", line.program.name, " help ", line.words[0], "'"));
}

/// "list nodes": told with as many words as it takes to mean that.
Guess other_words(const UnknownLine& line) {
  const Names meant = commands_of_words(line.names, line.words);
  if (meant.empty()) return std::nullopt;
  Names typed(line.words.begin(), line.words.begin() + 1);
  while (commands_of_words(line.names, typed) != meant) typed.push_back(line.words[typed.size()]);
  return no_command(join(typed, " "), quoted_or(meant));
}

/// "power on", "baremetal port list": the commands that end in the first two words, behind what others begin with.
Guess without_beginning(const UnknownLine& line) {
  const auto begin = std::find_if_not(line.words.begin(), line.words.end(), is_foreign_beginning);
  if (line.words.end() - begin < 2) return std::nullopt;
  const std::string whole = names_that_end_in(line.names, cat(*begin, " ", *(begin + 1)));
  return whole.empty() ? Guess() : no_command(line.first_two(), whole);
}

/// "node power onn": what comes after "node power" in commands, the nearest or all.
Guess what_comes_next(const UnknownLine& line) {
  const Names& words = line.words;
  for (std::size_t taken = words.size() - 1; taken > 1; --taken) {
    const std::string begin = cat(join({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken)}, " "), " ");
    std::set<std::string> next;
    for (const std::string& name : line.names) {
      if (name.starts_with(begin)) next.insert(split_words(name.substr(begin.size())).front());
    }
    if (next.empty()) continue;
    const std::string typed = cat(begin, words[taken]);
    const std::string other = cat(words[0], " ", words[taken]);  // "node power reboot"
    if (is_among(other, line.names)) return no_command(typed, cat("'", other, "'"));
    if (const std::optional<std::string> near = nearest(words[taken], {next.begin(), next.end()}))
      return no_command(typed, cat("'", begin, *near, "'"));
    return Error(ErrorKind::usage, cat("there is no command '", typed, "'; behind '", trim(begin), "' stands ",
                                       join({next.begin(), next.end()}, " or ")));
  }
  return std::nullopt;
}

/// A second word that no command has behind such a first one.
Guess unknown_second(const UnknownLine& line) {
  constexpr std::size_t k_longest = 400;
  const Names& words = line.words;
  if (words.size() < 2 || line.seconds.empty()) return std::nullopt;
  const std::string typed = line.first_two();
  if (is_among(words[1], line.names))  // "node why n3"
    return no_command(typed, cat("'", join({words.begin() + 1, words.end()}, " "), "'"));
  if (const std::string whole = names_that_end_in(line.names, words[1]); !whole.empty())  // "image lint"
    return no_command(typed, whole);
  if (const std::optional<std::string> meant = nearest(words[1], line.seconds))
    return no_command(typed, cat("'", words[0], " ", *meant, "'"));
  const std::set<std::string> all(line.seconds.begin(), line.seconds.end());
  const std::string list = join({all.begin(), all.end()}, ", ");
  return no_command(typed, "").hint(cat("`", line.program.name, " ", words[0], "` prints those that begin so",
                                        list.size() > k_longest ? "." : cat(": ", list, ".")));
}

/// "node --list"
Guess option_in_place_of_second(const UnknownLine& line) {
  if (line.words.size() != 1 || line.seconds.empty() || line.given.size() < 2) return std::nullopt;
  const std::string option = line.given[1].substr(std::min(line.given[1].find_first_not_of('-'), line.given[1].size()));
  if (option.empty()) return std::nullopt;
  if (is_among(option, line.seconds)) return no_command(line.words[0], cat("'", line.words[0], " ", option, "'"));
  const std::set<std::string> all(line.seconds.begin(), line.seconds.end());
  return Error(ErrorKind::usage, cat("there is no command '", line.words[0], "'; behind it stands one of ",
                                     join({all.begin(), all.end()}, ", ")));
}

/// "import", and "ls" of which others have "list".
Guess end_of_name(const UnknownLine& line) {
  const std::string& word = line.words[0];
  if (const std::string whole = names_that_end_in(line.names, word); !whole.empty()) return no_command(word, whole);
  for (const std::string& alike : alike_words(word)) {
    if (Guess there = elsewhere_by(line, alike, false)) return there;
    if (const std::string whole = names_that_end_in(line.names, alike); !whole.empty()) return no_command(word, whole);
  }
  return std::nullopt;
}

/// The name or the beginning of one that is written nearly so.
Error mistyped(const UnknownLine& line) {
  if (const std::optional<std::string> near = nearest(line.first_two(), line.names))
    return no_command(line.first_two(), cat("'", *near, "'"));
  std::optional<std::string> near = nearest(line.words[0], line.names);
  if (!near) {
    Names beginnings;
    for (const std::string& name : line.names) beginnings.push_back(name.substr(0, name.find(' ')));
    near = nearest(line.words[0], beginnings);
  }
  return no_command(line.words[0], near ? cat("'", *near, "'") : "");
}

/// In this order: what is surer stands before.
constexpr std::array<Guess (*)(const UnknownLine&), 11> k_guesses = {
    option_in_front, option_without_dashes,     elsewhere_by_words, help_behind,
    other_words,     without_beginning,         elsewhere_by_word,  what_comes_next,
    unknown_second,  option_in_place_of_second, end_of_name};

/// Options and what they stand before are no part of a command's name.
Names words_of_name(Names words) {
  const auto option =
      std::find_if(words.begin() + 1, words.end(), [](const auto& word) { return word.starts_with('-'); });
  words.erase(option, words.end());
  return words;
}

/// A word that names a file, for the option that takes one: "A file is named by -t, --template FILE."
std::string file_advice(const Command& command, const std::string& word) {
  boost::system::error_code hidden;
  const bool is_file = word.find_first_of("./") != std::string::npos || fs::exists(word, hidden);
  if (!is_file) return "";
  for (const auto& [value, what] : {std::pair{"SITE", "A site file"}, {"FILE", "A file"}}) {
    for (const Option& option : command.options) {
      const bool is_secret = option.name.ends_with("token-file") || option.name.ends_with("key");
      if (option.value_name == value && !is_secret) return cat(what, " is named by ", signature(option), ".");
    }
  }
  return "";
}

/// How many words the command takes: all it gets where that can't be told of "ELEMENT… | IMAGE.yaml…".
std::size_t most_operands(const std::string& operands) {
  if (operands.find("…") != std::string::npos || operands.find(" | ") != std::string::npos ||
      operands.find("[[") != std::string::npos)
    return std::numeric_limits<std::size_t>::max();
  return split_words(operands).size();
}

/// "deploy node alpha", "node list alpha": the command that was meant by one word too many; empty where none is known.
std::string command_with(const Program& program, const Command& command, const std::string& word) {
  Names names;
  for (const Command& row : program.commands) names.push_back(row.words);
  Names words = split_words(command.words);
  words.push_back(word);
  if (const Names meant = commands_of_words(names, words); is_among(word, vocabulary_of(names)) && !meant.empty())
    return quoted_or(meant);
  constexpr std::string_view k_list = " list";
  if (!command.words.ends_with(k_list) || word.find_first_of("./=") != std::string::npos) return "";
  const std::string show = cat(command.words.substr(0, command.words.size() - k_list.size()), " show");
  return is_among(show, names) ? cat("'", show, " ", word, "'") : "";
}

}  // namespace

void unknown_command(const Program& program, const std::vector<std::string>& given) {
  UnknownLine line{.program = program, .given = given, .words = words_of_name(given), .names = {}, .seconds = {}};
  for (const Command& command : all_commands(program)) {
    line.names.push_back(command.words);
    const Names row = split_words(command.words);
    if (row.size() > 1 && row[0] == line.words[0]) line.seconds.push_back(row[1]);
  }
  for (const auto& guess : k_guesses) {
    if (const Guess told = guess(line)) throw Error(*told);
  }
  throw mistyped(line);
}

void refuse_operands(const Program& program, const Command& command, const Arguments& arguments) {
  const Names& operands = arguments.operands();
  const std::string name = cat(program.name, " ", command.words);
  if (is_among("", operands) && !command.operands.empty())
    throw Error(ErrorKind::usage, cat(command.operands, ": an empty word names nothing; is a variable not set?"));
  const std::size_t most = most_operands(command.operands);
  if (operands.size() <= most) return;
  const std::string& word = operands[most];
  const std::string meant = command_with(program, command, word);
  const std::string advice = file_advice(command, word);
  if (!command.operands.empty() && meant.empty() && advice.empty()) return;  // the command itself knows what it takes
  Error error(ErrorKind::usage, cat("'", word, "' is one word too many: ", name, " takes ",
                                    command.operands.empty() ? "options only" : command.operands,
                                    meant.empty() ? "" : cat("; did you mean ", meant, "?")));
  if (!advice.empty()) error.hint(advice);
  throw Error(error);
}

}  // namespace hearth::cli
