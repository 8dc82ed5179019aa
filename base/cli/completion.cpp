#include "base/cli/completion.hpp"

#include <algorithm>

#include "base/cli/help.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

using Words = std::vector<std::string>;

/// What people put where a table says FILE or DIR.
Offers::Places places_named(std::string_view placeholder) {
  if (placeholder.find("URL") != std::string_view::npos) return Offers::Places::none;
  if (placeholder.find("DIR") != std::string_view::npos) return Offers::Places::directories;
  for (const std::string_view file : {"FILE", "IMAGE", "SITE", "TEMPLATE", "DISK", "BUNDLE", "INVENTORY", ".yaml"}) {
    if (placeholder.find(file) != std::string_view::npos) return Offers::Places::files;
  }
  return Offers::Places::none;
}

/// bash's "--type", "=", "raw" put together again.
Words joined_at_equals(const Words& line) {
  Words joined;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool continues = !joined.empty() && joined.back().starts_with("--") && line[i] == "=" &&
                           joined.back().find('=') == std::string::npos;
    if (!continues) {
      joined.push_back(line[i]);
      continue;
    }
    joined.back() += "=";
    if (i + 1 < line.size()) joined.back() += line[++i];
  }
  return joined;
}

/// Collects words that begin with what stands at the cursor already.
class Offering {
 public:
  explicit Offering(std::string typed) : typed_(std::move(typed)) {}

  void add(const std::string& word, const std::string& about) {
    const bool known =
        std::any_of(found_.words.begin(), found_.words.end(), [&](const Offer& offer) { return offer.word == word; });
    if (word.starts_with(typed_) && !known) found_.words.push_back({word, about});
  }
  void add_places(Offers::Places places) { found_.places = places; }
  [[nodiscard]] const std::string& typed() const { return typed_; }
  [[nodiscard]] Offers take() { return std::move(found_); }

 private:
  std::string typed_;
  Offers found_;
};

/// "[NODE…]" → "NODE".
std::string without_dots(std::string_view placeholder) {
  return replace_all(replace_all(replace_all(std::string(placeholder), "…", ""), "[", ""), "]", "");
}

/// What the operand behind `taken` others is called; where there are choices, all of them.
std::string operand_behind(const std::string& operands, std::size_t taken) {
  const Words all = split_words(operands);
  if (all.empty() || std::find(all.begin(), all.end(), "|") != all.end()) return operands;
  if (taken < all.size()) return without_dots(all[taken]);
  return all.back().find("…") == std::string::npos ? "" : without_dots(all.back());
}

/// What a command line has typed, and what may be known of its words.
struct TypedLine {
  const Program& program;
  const Command& command;
  const Words& words;  ///< behind those of the command, the one at the cursor not among them
};

void offer_known(Offering& offering, const TypedLine& line, const std::string& what, const std::string& before) {
  if (!line.program.known || what.empty()) return;
  for (const std::string& name : line.program.known(what, line.words)) offering.add(cat(before, name), "");
}

/// The values of an option, after `before` ("--type=", or nothing). Where it takes a list, those after the last comma.
void offer_values(Offering& offering, const TypedLine& line, const Option& option, const std::string& before) {
  const std::string typed = offering.typed().substr(before.size());
  const bool list = option.value_name.find(',') != std::string::npos;
  const std::size_t comma = list ? typed.rfind(',') : std::string::npos;
  const std::string kept = comma == std::string::npos ? before : cat(before, typed.substr(0, comma + 1));
  const Words given = comma == std::string::npos ? Words{} : split(typed.substr(0, comma), ',');
  for (const std::string& value : option.values) {
    if (std::find(given.begin(), given.end(), value) == given.end()) offering.add(cat(kept, value), "");
  }
  if (!option.values.empty()) return;
  offer_known(offering, line, option.value_name, before);
  offering.add_places(places_named(option.value_name));
}

void offer_options(Offering& offering, const Command& command) {
  for (const Option& option : shown_options(command)) offering.add(option.display(), option.help);
}

/// Of letters ("-xo"): the first that takes a value, if nothing follows it.
const Option* waiting_letter(const std::vector<Option>& options, std::string_view letters) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto takes_value = [&](const Option& o) { return o.letter == letters[i] && !o.value_name.empty(); };
    const auto option = std::find_if(options.begin(), options.end(), takes_value);
    if (option != options.end()) return i + 1 == letters.size() ? &*option : nullptr;
  }
  return nullptr;
}

/// The option that `word` leaves without its value; null when there is none.
const Option* waiting_option(const std::vector<Option>& options, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return nullptr;
  if (word[1] != '-') return waiting_letter(options, word.substr(1));
  const auto named = [&](const Option& o) { return !o.value_name.empty() && word == cat("--", o.name); };
  const auto option = std::find_if(options.begin(), options.end(), named);
  return option == options.end() ? nullptr : &*option;
}

void offer_operands(Offering& offering, const TypedLine& line, const std::vector<Option>& options) {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < line.words.size(); ++i) {
    const bool is_value = i > 0 && waiting_option(options, line.words[i - 1]) != nullptr;
    if (!is_value && !line.words[i].starts_with("-")) ++taken;
  }
  if (line.command.names) {
    for (const std::string& name : line.command.names()) offering.add(name, "");
  }
  const std::string what = operand_behind(line.command.operands, taken);
  offer_known(offering, line, what, "");
  offering.add_places(places_named(what));
}

void offer_arguments(Offering& offering, const TypedLine& line) {
  const auto& [program, command, words] = line;
  const std::vector<Option> options = shown_options(command);
  const std::string& typed = offering.typed();
  if (std::find(words.begin(), words.end(), "--") != words.end()) return offer_operands(offering, line, options);
  const Option* waiting = words.empty() ? nullptr : waiting_option(options, words.back());
  if (waiting != nullptr) return offer_values(offering, line, *waiting, "");
  const std::size_t equals = typed.find('=');
  if (typed.starts_with("--") && equals != std::string::npos) {
    for (const Option& option : options) {
      if (option.display() == typed.substr(0, equals))
        offer_values(offering, line, option, typed.substr(0, equals + 1));
    }
    return;
  }
  if (typed.starts_with("-")) return offer_options(offering, command);
  offer_operands(offering, line, options);
}

/// The next word of every command that begins with `words`.
void offer_next_words(Offering& offering, const std::vector<Command>& rows, const Words& words) {
  for (const Command& row : rows) {
    const Words name = split_words(row.words);
    if (name.size() <= words.size() || !std::equal(words.begin(), words.end(), name.begin())) continue;
    const bool whole = name.size() == words.size() + 1;
    const std::string stem = join({name.begin(), name.begin() + static_cast<std::ptrdiff_t>(words.size() + 1)}, " ");
    offering.add(name[words.size()], whole ? row.summary : cat(stem, " …"));
  }
}

/// The command whose name these words begin with, the longest if there are several; null when there is none.
const Command* command_at(const std::vector<Command>& rows, const Words& words) {
  const Command* found = nullptr;
  for (const Command& row : rows) {
    const Words name = split_words(row.words);
    if (name.size() > words.size() || !std::equal(name.begin(), name.end(), words.begin())) continue;
    if (found == nullptr || found->words.size() < row.words.size()) found = &row;
  }
  return found;
}

void offer_of_program(Offering& offering, const Program& program, Words words) {
  const std::vector<Command> rows = all_commands(program);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    for (const std::string& topic : words.empty() ? topic_names(program) : Words{}) offering.add(topic, "");
    if (offering.typed().find('/') != std::string::npos && words.empty()) {
      for (const Page& page : program.pages) offering.add(page.name, page.title);
    }
    return offer_next_words(offering, rows, words);
  }
  offer_next_words(offering, rows, words);
  const Command* command = command_at(rows, words);
  if (command == nullptr) return;
  const auto used = static_cast<std::ptrdiff_t>(split_words(command->words).size());
  const Words behind(words.begin() + used, words.end());
  offer_arguments(offering, {program, *command, behind});
}

constexpr const char* k_bash = R"(# bash completion for PROGRAM: the program itself says what may come next.
_PROGRAM() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      $'\tfiles') compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2") ;;
      $'\tdirectories') compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$2") ;;
      *)
        line=${line%%$'\t'*}
        case $line in *\ *) printf -v line %q "$line" ;; esac
        COMPREPLY+=("$line")
        ;;
    esac
  done < <("$1" --complete "${COMP_WORDS[@]:0:COMP_CWORD}" "${2//\\/}" 2>/dev/null)
}
complete -F _PROGRAM NAMES
)";

constexpr const char* k_zsh = R"(#compdef NAMES
# zsh completion for PROGRAM: the program itself says what may come next.
_PROGRAM() {
  local line
  local -a offered
  for line in "${(@f)$("${(Q)words[1]}" --complete "${(@Q)words[1,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      ($'\tfiles') _files ;;
      ($'\tdirectories') _files -/ ;;
      (?*) offered+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#offered )) && _describe -t words word offered
}
if [ "$funcstack[1]" = _PROGRAM ]; then
  _PROGRAM "$@"
else
  compdef _PROGRAM NAMES
fi
)";

constexpr const char* k_fish = R"(# fish completion for PROGRAM: the program itself says what may come next.
function __PROGRAM_offers
    set -l words (commandline -opc)
    for line in ($words[1] --complete $words (string unescape -- (commandline -ct)) 2>/dev/null)
        switch $line
            case \tfiles
                __fish_complete_path (commandline -ct)
            case \tdirectories
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
for name in NAMES
    complete -c $name -f -a '(__PROGRAM_offers)'
end
)";

}  // namespace

Offers offers(const Program& program, std::vector<std::string> line) {
  if (line.size() < 2) return {};
  // With bash's separate '=' the word at the cursor is the value alone, and so must be what is offered.
  const bool split_off = line.size() > 2 && (line.back() == "=" || line[line.size() - 2] == "=");
  line = joined_at_equals(line);
  const std::string typed = line.back();
  const Words words(line.begin() + 1, line.end() - 1);
  const std::string name = line.front().substr(line.front().rfind('/') + 1);
  Offering offering(typed);
  const auto link =
      std::find_if(program.links.begin(), program.links.end(), [&](const Command& each) { return each.words == name; });
  if (link != program.links.end())
    offer_arguments(offering, {program, *link, words});
  else
    offer_of_program(offering, program, words);
  Offers found = offering.take();
  const std::size_t equals = typed.find('=');
  if (split_off && typed.starts_with("--") && equals != std::string::npos) {
    for (Offer& offer : found.words) offer.word.erase(0, equals + 1);
  }
  return found;
}

std::string offer_lines(const Offers& offers) {
  std::string text;
  for (const Offer& offer : offers.words) text += cat(offer.word, "\t", replace_all(offer.about, "\n", " "), "\n");
  if (offers.places == Offers::Places::files) text += "\tfiles\n";
  if (offers.places == Offers::Places::directories) text += "\tdirectories\n";
  return text;
}

std::string completion_script(const Program& program, const std::string& shell) {
  const std::string text = shell == "bash" ? k_bash : shell == "zsh" ? k_zsh : shell == "fish" ? k_fish : "";
  if (text.empty()) throw Error(ErrorKind::usage, cat("there is no completion for '", shell, "': bash, zsh or fish"));
  Words names = {program.name};
  for (const Command& link : program.links) names.push_back(link.words);
  return replace_all(replace_all(text, "PROGRAM", program.name), "NAMES", join(names, " "));
}

}  // namespace hearth::cli
