#include "base/cli/near_command.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

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

/// "node power onn": what comes after "node power" in commands, the nearest or all; empty where that tells nothing.
std::string what_comes_next(const Names& names, const Names& words) {
  for (std::size_t taken = words.size() - 1; taken > 1; --taken) {
    const std::string begin = cat(join({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken)}, " "), " ");
    std::set<std::string> next;
    for (const std::string& name : names) {
      if (name.starts_with(begin)) next.insert(split_words(name.substr(begin.size())).front());
    }
    if (next.empty()) continue;
    const std::string other = cat(words[0], " ", words[taken]);  // "node power reboot"
    if (is_among(other, names))
      return cat("there is no command '", begin, words[taken], "'; did you mean '", other, "'?");
    const std::optional<std::string> near = nearest(words[taken], {next.begin(), next.end()});
    return cat("there is no command '", begin, words[taken], "'",
               near ? cat("; did you mean '", begin, *near, "'?")
                    : cat("; behind '", trim(begin), "' stands ", join({next.begin(), next.end()}, " or ")));
  }
  return "";
}

/// What other programs call the same, the likeliest first.
constexpr std::array<std::string_view, 11> k_alike = {"create build make new import add",
                                                      "boot run start up",
                                                      "delete remove rm destroy unload",
                                                      "prune purge clean clear gc",
                                                      "show inspect info get describe list",
                                                      "set edit change modify update",
                                                      "list ls show",
                                                      "lint validate check",
                                                      "deploy provision install",
                                                      "load upload register",
                                                      "publish push"};

/// How far the word is from what a command is called by those that mean the same: 0 the likeliest; nothing: by none.
std::optional<std::size_t> alike(const std::string& word, const std::string& called) {
  for (const std::string_view set : k_alike) {
    const Names words = split_words(set);
    const auto at = std::find(words.begin(), words.end(), called);
    if (is_among(word, words) && at != words.end()) return static_cast<std::size_t>(at - words.begin());
  }
  return std::nullopt;
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

/// One word of the command line, or a part of it: "power" of "power-on".
struct Part {
  std::string text;
  std::size_t word = 0;
};

Names vocabulary_of(const Names& names) {
  std::set<std::string> words;
  for (const std::string& name : names) {
    for (std::string& word : split_words(name)) words.insert(std::move(word));
  }
  return {words.begin(), words.end()};
}

/// "Power_On" is two parts where no command has such a word, "boot_log" is one where a command has "boot-log".
std::vector<Part> parts_of(const Names& words, const Names& vocabulary) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = replace_all(to_lower(words[i]), "_", "-");
    const Names pieces = split(word, '-');
    const bool is_split = pieces.size() > 1 && !is_among(word, vocabulary) &&
                          std::any_of(pieces.begin(), pieces.end(),
                                      [&](const std::string& piece) { return is_among(piece, vocabulary); });
    if (is_split) {
      for (const std::string& piece : pieces) parts.push_back({piece, i});
    } else {
      parts.push_back({word, i});
    }
  }
  return parts;
}

constexpr std::size_t k_no_match = std::numeric_limits<std::size_t>::max();
constexpr std::size_t k_other_number = 10;  ///< "nodes"
constexpr std::size_t k_other_word = 20;    ///< what means the same
constexpr std::size_t k_mistyped = 30;
constexpr std::size_t k_left_out = 30;  ///< "stack resources" for "stack resource list"
constexpr std::size_t k_between = 50;   ///< what is no word of the command stands within it

std::size_t cost_of(const std::string& word, const std::string& called, const Names& vocabulary) {
  if (word == called) return 0;
  if (word == cat(called, "s") || called == cat(word, "s")) return k_other_number;
  if (const std::optional<std::size_t> far = alike(word, called)) return k_other_word + *far;
  const bool is_word = is_among(word, vocabulary);
  constexpr std::size_t k_least = 4;                         // of three letters each is near another
  const bool is_as_long = word.size() + 2 >= called.size();  // or any beginning would be near
  if (!is_word && is_as_long && word.size() >= k_least && nearest(word, {called})) return k_mistyped;
  return k_no_match;
}

/// What other programs are called, before words that are ours, too.
bool is_foreign_beginning(const std::string& word) {
  return word == "openstack" || word == "hearth" || word == "baremetal" || word == "ironic" || word == "heat";
}

struct Reading {
  std::size_t cost = k_no_match;
  std::string command;  ///< with the words that stood within it
};

/// "boot-device": "device" is no mistyped "service" where nothing is made of "boot".
bool is_guessed_in_part(const std::vector<Part>& parts, const std::vector<bool>& used,
                        const std::set<std::size_t>& guessed) {
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (!used[j] && guessed.count(parts[j].word) > 0) return true;
  }
  return false;
}

/// The command by these parts, each of its words by one, in whatever order; of a foreign word between at most one.
Reading read_as(const std::string& name, const std::vector<Part>& parts, const Names& words, const Names& vocabulary) {
  constexpr std::size_t k_most = 5;  // what comes later is no part of a name
  const Names called = split_words(name);
  const std::size_t count = std::min(parts.size(), k_most);
  std::vector<bool> used(count, false);
  std::size_t cost = 0;
  std::size_t last = 0;           // the part that the word before was found in
  std::set<std::size_t> guessed;  // words of which a part is mistyped
  std::size_t end = 0;
  for (std::size_t i = 0; i < called.size(); ++i) {
    std::size_t best = k_no_match;
    std::size_t at = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t each = used[j] ? k_no_match : cost_of(parts[j].text, called[i], vocabulary);
      if (each < best) at = j;
      best = std::min(best, each);
    }
    const bool may_lack = i + 1 == called.size() && i > 1 && called[i] == "list" && cost > 0;
    if (best == k_no_match && !may_lack) return {};
    cost += best == k_no_match ? k_left_out : best;
    if (best == k_no_match) continue;
    if (best == k_mistyped) guessed.insert(parts[at].word);
    cost += i > 0 && at < last ? 1 : 0;
    used[at] = true;
    last = at;
    end = std::max(end, at + 1);
  }
  std::set<std::size_t> used_words;  // of "disk-image-create" a part is left over
  for (std::size_t j = 0; j < count; ++j) {
    if (used[j]) used_words.insert(parts[j].word);
  }
  if (is_guessed_in_part(parts, used, guessed)) return {};
  Names between;
  for (std::size_t j = 0; j < end; ++j) {
    if (used[j] || used_words.count(parts[j].word) > 0 || (between.empty() && is_foreign_beginning(parts[j].text)))
      continue;
    if (is_among(parts[j].text, vocabulary)) return {};
    between.push_back(words[parts[j].word]);
  }
  if (between.size() > 1) return {};
  const bool is_whole = end == 0 || end == parts.size() || parts[end].word != parts[end - 1].word;
  if (!is_whole) return {};
  return {cost + k_between * between.size(), between.empty() ? name : cat(name, " ", between.front())};
}

/// A second word that no command has behind such a first one.
[[noreturn]] void unknown_second(const Program& program, const Names& words, const Names& names, const Names& seconds) {
  constexpr std::size_t k_longest = 400;
  const std::string what = cat("there is no command '", words[0], " ", words[1], "'");
  const std::string first = cat(program.name, " ", words[0]);
  if (is_among(words[1], names))  // "node why n3"
    throw Error(ErrorKind::usage, cat(what, "; did you mean '", join({words.begin() + 1, words.end()}, " "), "'?"));
  if (const std::string whole = names_that_end_in(names, words[1]); !whole.empty())  // "image lint"
    throw Error(ErrorKind::usage, cat(what, "; did you mean ", whole, "?"));
  if (const std::optional<std::string> meant = nearest(words[1], seconds))
    throw Error(ErrorKind::usage, cat(what, "; did you mean '", words[0], " ", *meant, "'?"));
  const std::set<std::string> all(seconds.begin(), seconds.end());
  const std::string list = join({all.begin(), all.end()}, ", ");
  throw Error(ErrorKind::usage, what)
      .hint(cat("`", first, "` prints those that begin so", list.size() > k_longest ? "." : cat(": ", list, ".")));
}

/// Options and what they stand before are no part of a command's name.
Names words_of_name(Names words) {
  const auto option =
      std::find_if(words.begin() + 1, words.end(), [](const auto& word) { return word.starts_with('-'); });
  words.erase(option, words.end());
  return words;
}

/// "-V", "--verbose node list": before a command only two options stand.
[[noreturn]] void option_in_front(const Names& given) {
  const std::string& option = given[0];
  const bool is_version = to_lower(option) == "-v" || option == "-version";
  const std::optional<std::string> near =
      is_version ? std::optional<std::string>("--version") : nearest(option, {"--version", "--help"});
  const auto word = std::find_if(given.begin(), given.end(), [](const auto& each) { return !each.starts_with('-'); });
  std::string meant = near.value_or("");
  if (meant.empty() && word != given.end()) {
    Names moved(word, given.end());
    moved.insert(moved.end(), given.begin(), word);
    meant = join(moved, " ");
  }
  throw Error(ErrorKind::usage,
              cat("there is no command '", option, "'", meant.empty() ? "" : cat("; did you mean '", meant, "'?")))
      .hint(near || meant.empty() ? "" : "Options stand behind the command.");
}

/// Where another program does it, or what is typed here in its place. `is_exact`: more than one word.
void refuse_elsewhere(const Program& program, const Names& words, bool is_exact) {
  for (const auto& [begin, there] : program.elsewhere) {
    const bool is_long = begin.find(' ') != std::string::npos;
    if (is_long == is_exact && cat(join(words, " "), " ").starts_with(cat(begin, " ")))
      throw Error(ErrorKind::usage, cat("there is no command '", begin, "' here")).hint(there);
  }
}

/// The commands that end in the first two words, behind what other programs begin with.
std::string without_beginning(const Names& names, const Names& words) {
  const auto begin = std::find_if_not(words.begin(), words.end(), is_foreign_beginning);
  return words.end() - begin < 2 ? "" : names_that_end_in(names, cat(*begin, " ", *(begin + 1)));
}

Names first_words(const Names& words, std::size_t count) {
  return {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size()))};
}

/// "node --list"
void refuse_first_alone(const Names& given, const Names& seconds) {
  const std::string option = given.size() > 1 ? given[1].substr(given[1].find_first_not_of('-')) : "";
  if (seconds.empty() || option.empty()) return;
  const std::set<std::string> all(seconds.begin(), seconds.end());
  throw Error(ErrorKind::usage,
              cat("there is no command '", given[0], "'",
                  is_among(option, seconds) ? cat("; did you mean '", given[0], " ", option, "'?")
                                            : cat("; behind it stands one of ", join({all.begin(), all.end()}, ", "))));
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

std::vector<std::string> commands_of_words(const std::vector<std::string>& names,
                                           const std::vector<std::string>& words) {
  const Names vocabulary = vocabulary_of(names);
  const std::vector<Part> parts = parts_of(words, vocabulary);
  std::size_t best = k_no_match - 1;
  Names found;
  for (const std::string& name : names) {
    if (name.find(' ') == std::string::npos) continue;
    Reading reading = read_as(name, parts, words, vocabulary);
    if (reading.cost > best) continue;
    if (reading.cost < best) found.clear();
    best = reading.cost;
    found.push_back(std::move(reading.command));
  }
  return found;
}

void unknown_command(const Program& program, const std::vector<std::string>& given) {
  if (given[0].starts_with('-')) option_in_front(given);
  const Names words = words_of_name(given);
  if (words[0] == "version" || nearest(words[0], {"--version", "--help"})) {
    const std::string meant = nearest(words[0], {"--version", "--help"}).value_or("--version");
    throw Error(ErrorKind::usage, cat("there is no command '", words[0], "'; did you mean '", meant, "'?"));
  }
  refuse_elsewhere(program, words, true);
  Names names;
  Names seconds;  // behind the first word
  for (const Command& command : all_commands(program)) {
    names.push_back(command.words);
    const Names row = split_words(command.words);
    if (row.size() > 1 && row[0] == words[0]) seconds.push_back(row[1]);
  }
  const std::string two = words.size() > 1 ? cat(words[0], " ", words[1]) : words[0];
  if (words.size() > 1 && words[1] == "help")
    throw Error(ErrorKind::usage,
                cat("there is no command '", two, "'; did you mean '", program.name, " help ", words[0], "'?"));
  if (const Names meant = commands_of_words(names, words); !meant.empty()) {
    std::size_t count = 1;  // as many as it takes to mean that
    while (commands_of_words(names, first_words(words, count)) != meant) ++count;
    const std::string typed = join(first_words(words, count), " ");
    throw Error(ErrorKind::usage, cat("there is no command '", typed, "'; did you mean ", quoted_or(meant), "?"));
  }
  if (const std::string whole = without_beginning(names, words); !whole.empty())  // "power on", "baremetal port list"
    throw Error(ErrorKind::usage, cat("there is no command '", two, "'; did you mean ", whole, "?"));
  refuse_elsewhere(program, words, false);
  if (const std::string next = what_comes_next(names, words); !next.empty()) throw Error(ErrorKind::usage, next);
  if (words.size() > 1 && !seconds.empty()) unknown_second(program, words, names, seconds);
  if (words.size() == 1) refuse_first_alone(given, seconds);
  if (const std::string whole = names_that_end_in(names, words[0]); !whole.empty())
    throw Error(ErrorKind::usage, cat("there is no command '", words[0], "'; did you mean ", whole, "?"));
  Names groups;
  for (const std::string& name : names) groups.push_back(name.substr(0, name.find(' ')));
  std::optional<std::string> near = nearest(two, names);
  const std::string& told = near ? two : words[0];
  if (!near) near = nearest(words[0], names);
  if (!near) near = nearest(words[0], groups);
  throw Error(ErrorKind::usage,
              cat("there is no command '", told, "'", near ? cat("; did you mean '", *near, "'?") : ""));
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
