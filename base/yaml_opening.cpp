#include "base/yaml_opening.hpp"

#include <algorithm>
#include <vector>

#include "base/position.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// Reads as much of YAML as brackets and quotes need: where tokens begin, comments, block texts. It refuses nothing.
class OpeningScan {
 public:
  explicit OpeningScan(std::string_view text) : text_(text) {
    while (at_ < text_.size()) step();
  }

  struct Quote {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  [[nodiscard]] const std::vector<std::size_t>& open() const { return open_; }       ///< brackets, the outermost first
  [[nodiscard]] const std::optional<Quote>& open_quote() const { return unended_; }  ///< to the end of the text
  [[nodiscard]] const std::vector<Quote>& long_quotes() const { return long_quotes_; }  ///< of several lines
  /// A bracket that another kind closed.
  [[nodiscard]] const std::optional<Quote>& mismatch() const { return mismatch_; }

 private:
  [[nodiscard]] char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
  [[nodiscard]] static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  [[nodiscard]] std::size_t line_end(std::size_t from) const { return std::min(text_.find('\n', from), text_.size()); }

  void step() {
    const char c = text_[at_];
    const bool is_flow = !open_.empty();
    if (c == '\n') {
      begins_ = begins_ || !is_flow;
    } else if (is_blank(c)) {
      // goes on as before
    } else if (c == '#' && (at_ == 0 || is_blank(text_[at_ - 1]))) {
      at_ = line_end(at_);
      return;
    } else if (begins_ && (c == '"' || c == '\'')) {
      return take_quote(c);
    } else if (begins_ && !is_flow && (c == '|' || c == '>')) {
      return take_block();
    } else if (begins_ && (c == '&' || c == '!')) {
      while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
      return;
    } else if ((is_flow || begins_) && (c == '[' || c == '{')) {
      open_.push_back(at_);
      begins_ = true;
    } else if (is_flow && (c == ']' || c == '}')) {
      close(c);
    } else if (c == ',' || c == ':') {
      begins_ = is_flow ? c == ',' || is_blank(peek(1)) : c == ':' && is_blank(peek(1));
    } else if (!(begins_ && (c == '-' || c == '?') && is_blank(peek(1)))) {
      begins_ = false;
    }
    ++at_;
  }

  void close(char c) {
    const std::size_t opened = open_.back();
    open_.pop_back();
    begins_ = false;
    if (text_[opened] != (c == ']' ? '[' : '{') && !mismatch_) mismatch_ = Quote{opened, at_};
  }

  void take_quote(char quote) {
    const std::size_t begin = at_++;
    const auto is_doubled = [&] { return quote == '\'' && text_[at_] == quote && peek(1) == quote; };
    while (at_ < text_.size() && (text_[at_] != quote || is_doubled()))
      at_ += is_doubled() || (quote == '"' && text_[at_] == '\\') ? 2 : 1;
    begins_ = false;
    if (at_ >= text_.size()) {
      unended_ = Quote{begin, text_.size()};
      at_ = text_.size();
      return;
    }
    if (line_end(begin) < at_) long_quotes_.push_back({begin, at_});
    ++at_;
  }

  /// Its lines are those that are indented further than the key or dash that it belongs to.
  void take_block() {
    const std::size_t line = at_ == 0 ? 0 : text_.rfind('\n', at_ - 1) + 1;  // npos + 1 is 0
    std::size_t parent = std::min(text_.find_first_not_of(' ', line), at_) - line;
    for (std::size_t next = parent; text_.substr(line + next, 2) == "- ";) {
      parent = next;
      next = text_.find_first_not_of(' ', line + next + 1) - line;
      if (line + next < at_) parent = next;
    }
    at_ = line_end(at_);
    while (at_ < text_.size()) {
      const std::size_t first = text_.find_first_not_of(' ', at_ + 1);
      if (first == std::string_view::npos) return void(at_ = text_.size());
      if (text_[first] != '\n' && first - at_ - 1 <= parent) return;
      at_ = line_end(first);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool begins_ = true;  ///< a token may begin here
  std::vector<std::size_t> open_;
  std::optional<Quote> unended_;
  std::optional<Quote> mismatch_;
  std::vector<Quote> long_quotes_;
};

bool is_before(const Position& one, const Position& other) {
  return one.line < other.line || (one.line == other.line && one.column < other.column);
}

}  // namespace

std::optional<YamlOpening> open_yaml_quote(std::string_view text) {
  const OpeningScan scan(text);
  if (!scan.open_quote()) return std::nullopt;
  const std::size_t begin = scan.open_quote()->begin;
  return YamlOpening{position_in(text, begin), cat("this quote (", text.substr(begin, 1), ") is not closed")};
}

std::optional<YamlOpening> yaml_opening_of(std::string_view text, const Position& fault) {
  const OpeningScan scan(text);
  for (const auto& quote : scan.long_quotes()) {
    const Position end = position_in(text, quote.end);
    if (end.line != fault.line || !is_before(end, fault)) continue;
    return YamlOpening{position_in(text, quote.begin),
                       cat("this quote (", text.substr(quote.begin, 1), ") is closed only in line ", end.line,
                           ", column ", end.column, "; is one missing before?")};
  }
  if (auto quote = open_yaml_quote(text); quote && !is_before(fault, quote->at)) return quote;
  std::optional<std::size_t> opened;
  if (scan.mismatch()) opened = scan.mismatch()->begin;
  if (!opened && !scan.open().empty()) opened = scan.open().back();
  if (!opened) return std::nullopt;
  const Position at = position_in(text, *opened);
  if (!is_before(at, fault)) return std::nullopt;
  const char* const other = text[*opened] == '[' ? "]" : "}";
  return YamlOpening{at, cat("this '", text.substr(*opened, 1), "' is not closed: no '", other, "' before line ",
                             fault.line, ", column ", fault.column)};
}

}  // namespace hearth
