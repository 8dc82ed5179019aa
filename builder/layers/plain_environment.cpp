#include "builder/layers/plain_environment.hpp"

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

}  // namespace

std::optional<std::vector<Assignment>> plainly_set(std::string_view text) {
  PlainFile file(text);
  if (!file.read()) return std::nullopt;
  return std::move(file.assignments());
}

}  // namespace hearth::builder
