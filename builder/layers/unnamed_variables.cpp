#include "builder/layers/unnamed_variables.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

using Words = std::string_view;

/// Of the shell and of other languages, wherever they stand.
constexpr std::array<Words, 25> k_all = {"printenv", "export -p",  "compgen -A", "compgen -e", "compgen -v",
                                         "eval ",    "eval\t",     "eval\\",     "/environ",   "%ENV",
                                         "@ENV{",    "$ENV{$",     "ENV.each",   "ENV.to_",    "ENV.keys",
                                         "ENV.map",  "ENV.select", "in ENVIRON", "envsubst",   "expandvars",
                                         "Environ(", "environb",   "[ -v $",     "[ -v \"$",   "test -v $"};
/// Code put together: an escaped "$" before a value. Any bytes may be so.
constexpr std::array<Words, 2> k_put_together = {"\\$$", "\\${$"};
/// For one variable, whose name stands in quotes behind it; else for any.
constexpr std::array<Words, 6> k_named_in_quotes = {"getenv(", "Getenv(",  "LookupEnv(",
                                                    "ENV[",    "ENVIRON[", "ENV.fetch("};
/// Perl's takes a bare word as a name, too.
constexpr Words k_of_perl = "$ENV{";
/// Objects that hold all, but for one that is asked for by a name in quotes; JavaScript's also by a word.
constexpr std::array<Words, 2> k_objects = {"environ", "process.env"};
constexpr std::array<Words, 3> k_asking_for_one = {"[", ".get(", ".pop("};
constexpr std::array<Words, 2> k_asking_whether = {"\" in ", "' in "};

/// Commands that tell all of them where no word is behind them.
constexpr std::array<Words, 5> k_commands = {"env", "set", "export", "declare", "typeset"};
/// Options of these: of all, or of a name that is a value.
constexpr std::array<Words, 3> k_declaring = {"declare", "typeset", "local"};
constexpr Words k_telling_options = "pxn";

template <class All>
bool ends_with_any(std::string_view text, const All& ends) {
  return std::any_of(ends.begin(), ends.end(), [&](Words each) { return text.ends_with(each); });
}

template <class All>
bool begins_with_any(std::string_view text, const All& begins) {
  return std::any_of(begins.begin(), begins.end(), [&](Words each) { return text.starts_with(each); });
}

bool is_letter_of_variable(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether `is_such` holds of a place where the text has the word: of what is before and behind it.
template <class Such>
bool any_place(std::string_view text, std::string_view word, bool is_whole, const Such& is_such) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const std::string_view after = text.substr(at + word.size());
    const bool is_part = (!before.empty() && is_letter_of_variable(before.back())) ||
                         (!after.empty() && is_letter_of_variable(after.front()));
    if (!(is_whole && is_part) && is_such(before, after)) return true;
  }
  return false;
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.size(), text.find_first_not_of(" \t")));
}

/// Begins with a whole name in quotes: what comes behind it neither makes it longer, nor is a value put into it.
bool begins_with_name(std::string_view text) {
  text = without_blanks(text);
  if (text.empty() || (text.front() != '"' && text.front() != '\'')) return false;
  const std::size_t end = text.find(text.front(), 1);
  if (end == std::string_view::npos) return false;
  const std::string_view name = text.substr(1, end - 1);
  const std::string_view after = without_blanks(text.substr(end + 1));
  return std::all_of(name.begin(), name.end(), is_letter_of_variable) && !after.empty() &&
         std::string_view(")],}").find(after.front()) != std::string_view::npos;
}

/// `${!name}`, `${!MY_*}`; not `${!array[@]}`, which has the array's keys.
bool has_indirection(std::string_view text) {
  return any_place(text, "${!", false, [](std::string_view, std::string_view after) {
    while (!after.empty() && is_letter_of_variable(after.front())) after.remove_prefix(1);
    return !after.starts_with("[@]}") && !after.starts_with("[*]}");
  });
}

bool reads_an_object(std::string_view text) {
  return std::any_of(k_objects.begin(), k_objects.end(), [&](Words object) {
    return any_place(text, object, true, [&](std::string_view before, std::string_view after) {
      if (before.ends_with("os.")) before.remove_suffix(3);
      const bool is_word =
          object == "process.env" && after.size() > 1 && after[0] == '.' && is_letter_of_variable(after[1]);
      const bool is_one = std::any_of(k_asking_for_one.begin(), k_asking_for_one.end(), [&](Words asking) {
        return after.starts_with(asking) && begins_with_name(after.substr(asking.size()));
      });
      return !is_word && !before.ends_with("import ") && !is_one && !ends_with_any(before, k_asking_whether);
    });
  });
}

bool asks_by_a_value(std::string_view text) {
  return std::any_of(k_named_in_quotes.begin(), k_named_in_quotes.end(),
                     [&](Words word) {
                       return any_place(text, word, false, [](std::string_view, std::string_view after) {
                         return !begins_with_name(after);
                       });
                     }) ||
         any_place(text, k_of_perl, false, [](std::string_view, std::string_view after) {
           after = without_blanks(after);
           return after.empty() || (!is_letter_of_variable(after.front()) && !begins_with_name(after));
         });
}

bool is_assignment(Words word) {
  const Words name = word.substr(0, word.find('='));
  return name.size() < word.size() && !name.empty() && std::all_of(name.begin(), name.end(), is_letter_of_variable);
}

/// A command stands at `before`'s end: where one begins, or behind words that run it (`if`, `timeout -k 1 5`, `A=1`).
bool is_at_command(std::string_view before) {
  static constexpr std::array<Words, 23> running = {
      "if",   "elif", "then",    "else",   "while", "until", "do",    "exec",   "time",   "command", "builtin", "env",
      "sudo", "nice", "timeout", "setsid", "nohup", "chrt",  "xargs", "stdbuf", "ionice", "sh",      "bash"};
  if (ends_with_any(before, std::array<Words, 2>{"/usr/bin/", "/bin/"}))
    before.remove_suffix(before.ends_with("/usr/bin/") ? 9 : 5);
  before.remove_prefix(before.find_last_of("\n;|&({`!\"'\\") + 1);
  bool runs = false;
  for (const std::string& word : split_words(before)) {
    const bool is_of_these = std::find(running.begin(), running.end(), word) != running.end();
    const bool is_operand = runs && (word.front() == '-' || (word.front() >= '0' && word.front() <= '9'));
    if (!is_of_these && !is_operand && !is_assignment(word)) return before.ends_with("-exec ");
    runs = runs || is_of_these;
  }
  return true;
}

/// Nothing but options, up to where the command ends; ")" ends one that "(" began, else it is a pattern's of `case`.
bool has_no_words(std::string_view before, std::string_view after) {
  static constexpr std::string_view ends = " \t\n|;&)>`";
  const auto skip_blanks = [&] {
    after = without_blanks(after);
    while (after.starts_with("\\\n")) after = without_blanks(after.substr(2));
  };
  const auto skip_word = [&] { after.remove_prefix(std::min(after.size(), after.find_first_of(ends))); };
  for (skip_blanks(); after.starts_with('-'); skip_blanks()) {
    const bool has_name = after.starts_with("-u ");
    skip_word();
    if (!has_name) continue;
    skip_blanks();
    skip_word();
  }
  while (!after.empty() && after.front() >= '0' && after.front() <= '9') after.remove_prefix(1);  // "2>"
  if (after.starts_with(')')) return before.substr(before.rfind('\n') + 1).find('(') != std::string_view::npos;
  return after.empty() || after.starts_with("\\;") ||
         std::string_view("\n|;&>`}").find(after.front()) != std::string_view::npos;
}

bool tells_all(std::string_view text) {
  const bool has_command = std::any_of(k_commands.begin(), k_commands.end(), [&](Words command) {
    return any_place(text, command, true, [&](std::string_view before, std::string_view after) {
      const bool has_options = without_blanks(after).starts_with('-');
      return is_at_command(before) && has_no_words(before, after) && !(has_options && command != "env");
    });
  });
  return has_command || std::any_of(k_declaring.begin(), k_declaring.end(), [&](Words command) {
           return any_place(text, command, true, [](std::string_view, std::string_view after) {
             after = without_blanks(after);
             const std::string_view options = after.substr(0, after.find_first_of(" \t\n|;&)>`"));
             return options.starts_with('-') && options.find_first_of(k_telling_options) != std::string_view::npos &&
                    options.find_first_of("fF") == std::string_view::npos;
           });
         });
}

}  // namespace

bool lists_variables(std::string_view text) {
  const auto has = [&](Words each) { return text.find(each) != std::string_view::npos; };
  if (std::any_of(k_all.begin(), k_all.end(), has) || has_indirection(text)) return true;
  const bool is_compiled = has(Words("\0", 1));  // `environ` is a symbol of the C library's
  return !is_compiled && (std::any_of(k_put_together.begin(), k_put_together.end(), has) || reads_an_object(text) ||
                          asks_by_a_value(text) || tells_all(text));
}

}  // namespace hearth::builder
