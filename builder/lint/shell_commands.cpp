#include "builder/lint/shell_commands.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// They stand before a command and are none.
const std::set<std::string_view> k_before_commands = {"sudo", "if", "then", "else", "elif",    "while", "until", "do",
                                                      "!",    "{",  "time", "exec", "command", "nohup", "eval",  "env"};

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

/// Splits one script; quotes may go over lines.
class ShellSplitter {
 public:
  explicit ShellSplitter(std::string_view text) : text_(text) {}

  std::vector<ShellCommand> run() {
    while (at_ < text_.size()) step();
    end_command();
    return std::move(commands_);
  }

 private:
  [[nodiscard]] char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void step() {
    const char c = text_[at_];
    if (c == '\\' && next() == '\n') {
      ++line_;
      at_ += 2;
      return end_word();
    }
    if (c == '\\' && next() != '\0') {
      put(next());
      ++at_;
    } else if (c == '\'' || c == '"') {
      take_quoted(c);
    } else if (c == '#' && !has_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    } else if (c == '<' && next() == '<' && !text_.substr(at_).starts_with("<<<")) {
      begin_here_document();
      return;
    } else if (c == '\n') {
      end_command();
      ++line_;
      ++at_;
      return skip_here_documents();
    } else if (c == '&' && (word_.ends_with('>') || next() == '>')) {
      put(c);  // "2>&1", "&> FILE"
    } else if (std::string_view(";&|()").find(c) != std::string_view::npos) {
      end_command();
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else {
      put(c);
    }
    ++at_;
  }

  void put(char c) {
    if (!has_word_ && words_.empty()) command_line_ = line_;
    has_word_ = true;
    word_ += c;
  }

  void take_quoted(char quote) {
    put(quote);
    word_.pop_back();
    is_quoted_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      if (text_[at_] == '\n') ++line_;
      word_ += text_[at_];
    }
  }

  void begin_here_document() {
    end_word();
    at_ += 2;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    std::string end;
    for (; at_ < text_.size() && std::string_view(" \t\n;&|<>()").find(text_[at_]) == std::string_view::npos; ++at_) {
      if (std::string_view("'\"\\").find(text_[at_]) == std::string_view::npos) end += text_[at_];
    }
    if (!end.empty()) here_documents_.push_back(std::move(end));
  }

  void skip_here_documents() {
    for (const std::string& end : here_documents_) {
      while (at_ < text_.size()) {
        const std::size_t stop = std::min(text_.find('\n', at_), text_.size());
        const std::string_view line = trim(text_.substr(at_, stop - at_));
        at_ = std::min(stop + 1, text_.size());
        ++line_;
        if (line == end) break;
      }
    }
    here_documents_.clear();
  }

  void end_word() {
    if (!has_word_) return;
    const bool is_before = words_.empty() && (k_before_commands.contains(word_) || is_assignment(word_));
    const bool is_redirection = !is_quoted_ && word_.find_first_of("<>") != std::string::npos;
    if (!is_before && !is_redirection && !is_target_next_) words_.push_back(word_);
    is_target_next_ = is_redirection && (word_.ends_with('>') || word_.ends_with('<'));  // "> FILE"
    is_quoted_ = false;
    word_.clear();
    has_word_ = false;
  }

  void end_command() {
    end_word();
    if (!words_.empty()) commands_.push_back({command_line_, std::move(words_)});
    words_.clear();
    is_target_next_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int command_line_ = 1;
  bool has_word_ = false;
  bool is_quoted_ = false;       ///< the word, or a part of it
  bool is_target_next_ = false;  ///< behind a redirection's sign
  std::string word_;
  std::vector<std::string> words_;
  std::vector<std::string> here_documents_;  ///< that begin behind this line, by their ends
  std::vector<ShellCommand> commands_;
};

/// Where the action stands; the number of words where there is none.
std::size_t place_of_action(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 3> k_programs = {"apt-get", "apt", "aptitude"};
  static const std::set<std::string_view> k_with_value = {"-t", "-o", "-c", "-a", "--target-release", "--option"};
  const std::string program = words.empty() ? "" : words[0].substr(words[0].rfind('/') + 1);
  if (std::find(k_programs.begin(), k_programs.end(), program) == k_programs.end()) return words.size();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return i;
    if (k_with_value.contains(words[i])) ++i;
  }
  return words.size();
}

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view text) { return ShellSplitter(text).run(); }

std::string apt_action(const ShellCommand& command) {
  const std::size_t at = place_of_action(command.words);
  return at < command.words.size() ? command.words[at] : "";
}

std::vector<std::string> apt_operands(const ShellCommand& command) {
  std::vector<std::string> operands;
  for (std::size_t i = place_of_action(command.words) + 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    if (word == "-t" || word == "-o" || word == "-c")
      ++i;
    else if (!word.starts_with('-'))
      operands.push_back(word);
  }
  return operands;
}

}  // namespace hearth::builder
