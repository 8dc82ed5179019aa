#include "builder/layers/plain_environment.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace hearth::builder {

namespace {

/// By these bash itself does something else.
const std::unordered_set<std::string_view> k_of_bash = {
    "CDPATH",   "CHILD_MAX", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID",       "EXECIGNORE", "FIGNORE",
    "FUNCNAME", "GROUPS",    "LINENO",   "OPTARG",        "FUNCNEST",     "GLOBIGNORE", "IGNOREEOF",  "OPTERR",
    "OPTIND",   "PPID",      "RANDOM",   "REPLY",         "SECONDS",      "SRANDOM",    "SHELLOPTS",  "TMOUT",
    "UID"};

class PlainFile {
 public:
  explicit PlainFile(std::string_view text) : text_(text) {}

  /// Whether all of it is plain.
  bool read() {
    while (skip_to_statement()) {
      if (!statement()) return false;
      if (next() == ';') ++at_;
    }
    return true;
  }
  [[nodiscard]] std::vector<Assignment>& assignments() { return assignments_; }

 private:
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool is_at_end() const {
    return at_ >= text_.size() || next() == '\n' || next() == ';' || is_comment();
  }
  [[nodiscard]] bool is_comment() const {
    return next() == '#' && (at_ == 0 || std::string_view(" \t\n;").find(text_[at_ - 1]) != std::string_view::npos);
  }
  void skip(std::string_view letters) {
    while (at_ < text_.size() && letters.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool skip_to_statement() {
    for (;;) {
      skip(" \t\n");
      if (!is_comment()) return at_ < text_.size();
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }

  std::string_view name() {
    const std::size_t begin = at_;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    while (is_letter(next()) || (at_ > begin && next() >= '0' && next() <= '9')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// `export A B=x`, or `A=x B=y`.
  bool statement() {
    const std::size_t begin = at_;
    const bool exports = name() == "export" && (next() == ' ' || next() == '\t');
    if (!exports) at_ = begin;
    for (skip(" \t"); !is_at_end(); skip(" \t")) {
      const std::size_t first = at_;
      const std::string_view variable = name();
      if (variable.empty() || k_of_bash.count(variable) > 0 || variable.starts_with("BASH")) return false;
      const bool has_value = next() == '=';
      if (!has_value && !exports) return false;
      if (has_value && (++at_, !word("", 0))) return false;
      if (!is_at_end() && next() != ' ' && next() != '\t') return false;
      assignments_.push_back({std::string(variable), std::string(text_.substr(first, at_ - first))});
    }
    return at_ > begin;
  }

  /// Up to a blank, a statement's end, or `until` (of one letter).
  bool word(std::string_view until, int depth) {
    const bool is_inner = !until.empty();
    while (at_ < text_.size()) {
      const char c = next();
      if (is_inner && c == until.front()) return true;
      if (!is_inner && std::string_view(" \t\n;").find(c) != std::string_view::npos) return true;
      if (c == '\'') {
        const std::size_t end = text_.find('\'', at_ + 1);
        if (end == std::string_view::npos) return false;
        at_ = end + 1;
      } else if (c == '"') {
        ++at_;
        if (!quoted("\"", depth)) return false;
        ++at_;
      } else if (c == '$') {
        if (!variable(false, depth)) return false;
      } else if (is_special(c)) {
        return false;
      } else {
        ++at_;
      }
    }
    return !is_inner;
  }

  /// Of a text in double quotes, up to `until`. In braces bash takes a single quote for the begin of another text.
  bool quoted(std::string_view until, int depth) {
    for (; at_ < text_.size() && next() != until.front();) {
      if (next() == '`' || next() == '\\' || next() == '"' || next() == '\0' || (until == "}" && next() == '\''))
        return false;
      if (next() != '$') {
        ++at_;
      } else if (!variable(true, depth)) {
        return false;
      }
    }
    return at_ < text_.size();
  }

  /// $A, ${A}, ${A:-word}, ${A-word}, ${A:+word}, ${A+word}.
  bool variable(bool is_quoted, int depth) {
    static constexpr int k_deepest = 8;
    ++at_;
    if (next() != '{') return !name().empty();
    ++at_;
    if (depth == k_deepest || name().empty()) return false;
    if (next() == ':') ++at_;
    if (next() == '-' || next() == '+') {
      ++at_;
      if (!(is_quoted ? quoted("}", depth + 1) : word("}", depth + 1))) return false;
    } else if (text_[at_ - 1] == ':') {
      return false;
    }
    if (next() != '}') return false;
    ++at_;
    return true;
  }

  static bool is_special(char c) {
    return static_cast<unsigned char>(c) < ' ' ||
           std::string_view("`\\|&<>(){}[]*?!~").find(c) != std::string_view::npos;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Assignment> assignments_;
};

/// A file of commands, one after another: of what `if`, `case` and `for` put around them only the words are looked at.
class CheckingFile {
 public:
  explicit CheckingFile(std::string_view text) : text_(text) {}

  /// Whether it does nothing but set, look at and refuse variables.
  bool read() {
    while (skip_to_command()) {
      if (!command()) return false;
    }
    return true;
  }
  [[nodiscard]] std::set<std::string>& variables() { return variables_; }

 private:
  [[nodiscard]] bool is_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size() || is_separator(text_[at_]); }
  static bool is_separator(char c) { return c == '\n' || c == ';' || c == '&' || c == '|'; }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }
  void skip_comment() {
    if (is_at("#")) at_ = std::min(text_.find('\n', at_), text_.size());
  }

  /// Behind what ends one, and over its end; false at the end of the text.
  bool skip_to_command() {
    for (;;) {
      skip_blanks();
      skip_comment();
      if (at_ >= text_.size()) return false;
      if (is_at("&&") || is_at("||")) {
        at_ += 2;
      } else if (is_at("\n") || (is_at(";") && !is_at(";;"))) {
        ++at_;
      } else {
        return true;
      }
    }
  }

  bool command() {
    if (is_at(";;")) return (at_ += 2, pattern());
    const std::optional<std::string_view> first = word();
    if (!first) return false;
    if (k_before_commands.count(*first) > 0) return true;
    if (*first == "[[") return test();
    if (*first == "for") return loop();
    if (*first == "case") return take_word() && take_word() == "in" && pattern();
    if (k_harmless.count(*first) > 0) return words(&CheckingFile::any);
    if (*first == "export" || *first == "unset") return words(&CheckingFile::exported);
    return set(*first, true) && words(&CheckingFile::assigned);
  }

  bool loop() {
    const std::optional<std::string_view> variable = take_word();
    return variable && set(*variable, false) && take_word() == "in" && words(&CheckingFile::any);
  }

  /// `a | 'b')`, or the end of `case`.
  bool pattern() {
    do {
      skip_blanks();
      skip_comment();
    } while (is_at("\n") && ++at_ > 0);
    if (is_at("esac")) return (at_ += 4, is_at_end());
    const std::size_t end = text_.find(')', at_);
    const std::string_view words = text_.substr(at_, end - at_);
    at_ = std::min(end, text_.size()) + 1;
    return end != std::string_view::npos && words.find_first_of("$`;&\n\\\"") == std::string_view::npos;
  }

  /// `[[ a =~ b ]]`
  bool test() {
    const std::size_t end = text_.find(" ]]", at_);
    if (end == std::string_view::npos) return false;
    const std::string_view words = text_.substr(at_, end - at_);
    at_ = end + 3;
    skip_blanks();
    return is_at_end() && words.find_first_of("`\n") == std::string_view::npos &&
           words.find("$(") == std::string_view::npos;
  }

  /// Up to the command's end, each as `is_taken` has it, and where messages go.
  bool words(bool (CheckingFile::*is_taken)(std::string_view)) {
    for (skip_blanks(); !is_at_end() && !is_at("#"); skip_blanks()) {
      if (skip_redirection()) continue;
      const std::optional<std::string_view> each = word();
      if (!each || !(this->*is_taken)(*each)) return false;
    }
    return !(is_at("&") && !is_at("&&")) && !(is_at("|") && !is_at("||"));
  }
  bool skip_redirection() {
    for (const std::string_view each : {">&2", "1>&2", "2> /dev/null", "2>/dev/null", "> /dev/null", ">/dev/null"}) {
      if (!is_at(each)) continue;
      at_ += each.size();
      return true;
    }
    return false;
  }
  bool any(std::string_view) { return true; }
  bool exported(std::string_view each) { return set(each, each.find('=') != std::string_view::npos); }
  bool assigned(std::string_view each) { return set(each, true); }

  bool set(std::string_view text, bool has_value) {
    const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    const std::string_view name = text.substr(0, end);
    if (name.empty() || (name[0] >= '0' && name[0] <= '9') || k_of_bash.count(name) > 0 || name.starts_with("BASH"))
      return false;
    if (has_value ? end == std::string_view::npos || text[end] != '=' : end != std::string_view::npos) return false;
    variables_.emplace(name);
    return true;
  }

  std::optional<std::string_view> take_word() {
    skip_blanks();
    return word();
  }

  /// Nothing where it is none, or may do more than name a value.
  std::optional<std::string_view> word() {
    const std::size_t begin = at_;
    while (!is_at_end() && text_[at_] != ' ' && text_[at_] != '\t') {
      const char c = text_[at_];
      if (c == '\'') {
        at_ = text_.find('\'', at_ + 1);
        if (at_ == std::string_view::npos) return std::nullopt;
        ++at_;
      } else if (c == '"') {
        ++at_;
        while (!is_at("\"")) {
          if (at_ >= text_.size() || is_at("\\") || is_at("`") || !value()) return std::nullopt;
        }
        ++at_;
      } else if (std::string_view("`\\<>(){}*?~").find(c) != std::string_view::npos || !value()) {
        return std::nullopt;
      }
    }
    return at_ > begin ? std::optional(text_.substr(begin, at_ - begin)) : std::nullopt;
  }

  /// A letter, or a variable's value: `$A`, `${A:-b}`, `$((10 + A))`; none that is set so, named by another, or a
  /// command's.
  bool value() {
    if (!is_at("$")) return (++at_, true);
    if (is_at("$((")) return skip_within("$((", "))");
    if (is_at("$(")) return false;
    if (!is_at("${")) return (++at_, true);
    return !is_at("${!") && skip_within("${", "}");
  }
  /// What stands in between has no more braces, quotes or commands, but may name a value in braces.
  bool skip_within(std::string_view begin, std::string_view end) {
    at_ += begin.size();
    while (!is_at(end)) {
      if (at_ >= text_.size() || std::string_view("`\\\"'\n=?").find(text_[at_]) != std::string_view::npos ||
          is_at("++") || is_at("--"))
        return false;
      if (is_at("$") ? !value() : (++at_, false)) return false;
    }
    at_ += end.size();
    return true;
  }

  /// Behind these, or in place of one, a command begins.
  inline static const std::unordered_set<std::string_view> k_before_commands = {
      "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "esac", "!"};
  inline static const std::unordered_set<std::string_view> k_harmless = {"[", "echo", "exit", ":"};

  std::string_view text_;
  std::size_t at_ = 0;
  std::set<std::string> variables_;
};

}  // namespace

std::optional<std::set<std::string>> set_with_checks(std::string_view text) {
  CheckingFile file(text);
  if (!file.read()) return std::nullopt;
  return std::move(file.variables());
}

std::optional<std::vector<Assignment>> plainly_set(std::string_view text) {
  PlainFile file(text);
  if (!file.read()) return std::nullopt;
  return std::move(file.assignments());
}

}  // namespace hearth::builder
