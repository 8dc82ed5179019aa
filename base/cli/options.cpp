#include "base/cli/options.hpp"

#include <algorithm>

#include "base/cli/layout.hpp"
#include "base/cli/near_option.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

constexpr std::size_t k_help_column = 30;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::usage, message); }

const Option& find_long(const std::vector<Option>& table, const std::string& name) {
  std::vector<const Option*> matches;
  for (const Option& option : table) {
    if (option.name.empty()) continue;
    if (option.name == name) return option;
    if (option.name.compare(0, name.size(), name) == 0) matches.push_back(&option);
  }
  if (matches.size() == 1) return *matches.front();
  if (matches.empty()) {
    const std::string meant = near_option(table, name);
    refuse(cat("unrecognized option '--", name, "'", meant.empty() ? "" : cat("; did you mean '", meant, "'?")));
  }
  std::vector<std::string> possible;
  for (const Option* match : matches) possible.push_back(match->display());
  refuse(cat("option '--", name, "' is ambiguous; possibilities: ", join(possible, " ")));
}

const Option& find_letter(const std::vector<Option>& table, char letter) {
  for (const Option& option : table) {
    if (option.letter == letter) return option;
  }
  const std::string meant = near_option(table, std::string(1, letter));
  refuse(cat("invalid option -- '", letter, "'", meant.empty() ? "" : cat("; did you mean '", meant, "'?")));
}

constexpr std::size_t k_longest_list = 240;  ///< of values; of more the option's help tells

/// "a, b or c".
std::string one_of(const std::vector<std::string>& values) {
  if (values.size() < 2) return join(values, "");
  return cat(join({values.begin(), values.end() - 1}, ", "), " or ", values.back());
}

/// Where all that a value may be is known, nothing else is taken: "--initial-state is enroll, manageable or available".
void check_value(const Option& option, const std::string& value) {
  if (option.values.empty()) return;
  const bool is_list = option.value_name.find(',') != std::string::npos;
  for (const std::string& part : is_list ? split(value, ',') : std::vector<std::string>{value}) {
    if (is_list && trim(part).empty()) continue;  // who takes the list sees whether it has anything
    if (std::find(option.values.begin(), option.values.end(), is_list ? trim(part) : part) != option.values.end())
      continue;
    const std::optional<std::string> near = near_value(option, part);
    const std::string meant = near ? cat("; did you mean '", *near, "'?") : "";
    const std::string all = one_of(option.values);
    if (all.size() > k_longest_list)
      refuse(cat(option.display(), ": there is no '", part, "' (", option.help, ")", meant));
    refuse(cat(option.display(), " is ", all, ", not '", part, "'", meant));
  }
}

/// One pass over the words of a command line.
class Parser {
 public:
  Parser(const std::vector<Option>& table, const std::vector<std::string>& words) : table_(table), words_(words) {}

  Arguments run() {
    for (; next_ < words_.size(); ++next_) {
      const std::string& word = words_[next_];
      if (word == "--") {
        for (++next_; next_ < words_.size(); ++next_) found_.add_operand(words_[next_]);
        break;
      }
      if (word.size() > 2 && word.compare(0, 2, "--") == 0) {
        take_long(word.substr(2));
      } else if (word.size() > 1 && word[0] == '-') {
        take_letters(word);
      } else {
        found_.add_operand(word);
      }
    }
    return std::move(found_);
  }

 private:
  void take_long(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const Option& option = find_long(table_, name);
    if (option.value_name.empty()) {
      if (equals != std::string::npos) refuse(cat("option '", option.display(), "' doesn't allow an argument"));
      found_.add(option.key(), "");
    } else if (equals != std::string::npos) {
      add(option, text.substr(equals + 1));
    } else {
      add(option, next_word(option));
    }
  }

  void take_letters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Option& option = find_letter(table_, word[i]);
      if (option.value_name.empty()) {
        found_.add(option.key(), "");
        continue;
      }
      add(option, i + 1 < word.size() ? word.substr(i + 1) : next_word(option));
      return;
    }
  }

  void add(const Option& option, std::string value) {
    check_value(option, value);
    found_.add(option.key(), std::move(value));
  }

  std::string next_word(const Option& option) {
    if (next_ + 1 >= words_.size()) refuse(cat("option '", option.display(), "' requires an argument"));
    return words_[++next_];
  }

  const std::vector<Option>& table_;
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  Arguments found_;
};

}  // namespace

std::string Option::display() const { return name.empty() ? cat("-", letter) : cat("--", name); }

std::size_t Arguments::count(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? 0 : found->second.size();
}

std::optional<std::string> Arguments::value(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  return found->second.back();
}

std::string Arguments::value_or(const std::string& key, std::string fallback) const {
  return value(key).value_or(std::move(fallback));
}

std::vector<std::string> Arguments::values(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

const std::string& Arguments::operand(std::size_t index, std::string_view what) const {
  if (index < operands_.size()) return operands_[index];
  throw Error(ErrorKind::usage, cat("which ", what, "?"));
}

Arguments parse_options(const std::vector<Option>& table, const std::vector<std::string>& words) {
  return Parser(table, words).run();
}

std::uint64_t number(const Arguments& arguments, const std::string& option, std::uint64_t usual, NumberRange range,
                     std::string_view unit) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return usual;
  const std::optional<std::uint64_t> value = parse_number(*text);
  if (!value || *value < range.least || *value > range.most)
    throw Error(ErrorKind::usage, cat("--", option, ": '", *text, "' is not a whole number", unit, " from ",
                                      range.least, " to ", range.most));
  return *value;
}

std::vector<Option> under(std::string_view heading, std::vector<Option> options) {
  for (Option& option : options) option.heading = heading;
  return options;
}

std::string signature(const Option& option) {
  std::string text;
  if (option.letter != 0) text += cat("-", option.letter, option.name.empty() ? "" : ", ");
  if (!option.name.empty()) text += cat("--", option.name);
  if (!option.value_name.empty()) text += cat(" ", option.value_name);
  return text;
}

std::string options_help(const std::vector<Option>& table, std::size_t width) {
  std::string text;
  for (const Option& option : table) {
    const std::string left = padded(cat(padded(cat("  ", signature(option)), k_help_column - 2), "  "), k_help_column);
    const std::string indent(k_help_column, ' ');
    std::vector<std::string> lines;
    for (const std::string& line : split(option.help, '\n')) {
      const std::size_t column = lines.empty() ? columns(left) : k_help_column;
      lines.push_back(width == k_unwrapped ? line : wrapped(line, width, k_help_column, column));
    }
    text += cat(left, join(lines, cat("\n", indent)), "\n");
  }
  return text;
}

std::vector<std::string> headings(const std::vector<Option>& table) {
  std::vector<std::string> found;
  bool others = false;
  for (const Option& option : table) {
    others = others || option.heading.empty();
    const bool known = std::find(found.begin(), found.end(), option.heading) != found.end();
    if (!option.heading.empty() && !known) found.push_back(option.heading);
  }
  if (others) found.emplace_back();
  return found;
}

std::vector<Option> options_under(std::string_view heading, const std::vector<Option>& table) {
  std::vector<Option> found;
  for (const Option& option : table) {
    if (option.heading == heading) found.push_back(option);
  }
  return found;
}

}  // namespace hearth::cli
