#include "base/cli/options.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

constexpr std::size_t k_help_column = 30;

/// Terminal columns of a text in UTF-8 without wide characters: its bytes, less those that continue a character.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

[[noreturn]] void refuse(std::string message) { throw Error(ErrorKind::usage, std::move(message)); }

const Option& find_long(const std::vector<Option>& table, const std::string& name) {
  std::vector<const Option*> matches;
  for (const Option& option : table) {
    if (option.name.empty()) continue;
    if (option.name == name) return option;
    if (option.name.compare(0, name.size(), name) == 0) matches.push_back(&option);
  }
  if (matches.size() == 1) return *matches.front();
  std::vector<std::string> names;
  for (const Option& option : table) {
    if (!option.name.empty()) names.push_back(option.name);
  }
  if (matches.empty()) {
    const std::optional<std::string> near = nearest(name, names);
    refuse(cat("unrecognized option '--", name, "'", near ? cat("; did you mean '--", *near, "'?") : ""));
  }
  std::vector<std::string> possible;
  for (const Option* match : matches) possible.push_back(match->display());
  refuse(cat("option '--", name, "' is ambiguous; possibilities: ", join(possible, " ")));
}

const Option& find_letter(const std::vector<Option>& table, char letter) {
  for (const Option& option : table) {
    if (option.letter == letter) return option;
  }
  refuse(cat("invalid option -- '", letter, "'"));
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
    const Option& option = find_long(table_, text.substr(0, equals));
    if (option.value_name.empty()) {
      if (equals != std::string::npos) refuse(cat("option '", option.display(), "' doesn't allow an argument"));
      found_.add(option.key(), "");
    } else if (equals != std::string::npos) {
      found_.add(option.key(), text.substr(equals + 1));
    } else {
      found_.add(option.key(), next_word(option));
    }
  }

  void take_letters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Option& option = find_letter(table_, word[i]);
      if (option.value_name.empty()) {
        found_.add(option.key(), "");
        continue;
      }
      found_.add(option.key(), i + 1 < word.size() ? word.substr(i + 1) : next_word(option));
      return;
    }
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

Arguments parse_options(const std::vector<Option>& table, const std::vector<std::string>& words) {
  return Parser(table, words).run();
}

std::string options_help(const std::vector<Option>& table) {
  std::string text;
  for (const Option& option : table) {
    std::string left = "  ";
    if (option.letter != 0) left += cat("-", option.letter, option.name.empty() ? "" : ", ");
    if (!option.name.empty()) left += cat("--", option.name);
    if (!option.value_name.empty()) left += cat(" ", option.value_name);
    left.append(std::max<std::size_t>(2, k_help_column - std::min(k_help_column, columns(left))), ' ');
    text += cat(left, replace_all(option.help, "\n", cat("\n", std::string(k_help_column, ' '))), "\n");
  }
  return text;
}

}  // namespace hearth::cli
