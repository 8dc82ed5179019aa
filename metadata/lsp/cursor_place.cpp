#include "metadata/lsp/cursor_place.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace hearth::metadata::lsp {

namespace {

constexpr std::size_t k_longest_flow = 65536;  ///< bytes of brackets in a block; of a whole document there is no limit
constexpr std::size_t k_deepest_flow = 200;    ///< as our parser

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool opens(char c) { return c == '{' || c == '['; }

/// A list's dash, or a key, of a line; offsets count from the beginning of the text.
struct Token {
  std::size_t column = 0;
  bool item = false;
  std::string key{};
  std::size_t begin = 0;
  std::size_t end = 0;    ///< of a key: where it ends, its quotes with it
  std::size_t value = 0;  ///< where its value may begin
};

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;    ///< without break and comment
  std::size_t first = 0;  ///< behind indentation
  std::vector<Token> tokens{};
  std::size_t rest = 0;    ///< behind the last token
  bool commented = false;  ///< something stands behind `end`
};

/// Behind a quoted word that begins at `at`, or `end`.
std::size_t behind_quoted(std::string_view text, std::size_t at, std::size_t end) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < end; ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return end;
}

std::string unquoted(std::string_view word) {
  word = trim(word);
  if (word.empty() || !is_quote(word.front())) return std::string(word);
  const bool closed = word.size() > 1 && word.back() == word.front();
  return std::string(word.substr(1, word.size() - (closed ? 2 : 1)));
}

std::size_t comment_of(std::string_view text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] == '#' && (i == begin || is_blank(text[i - 1]))) return i;
    const bool starts_word = i == begin || is_blank(text[i - 1]) || opens(text[i - 1]) || text[i - 1] == ',';
    if (is_quote(text[i]) && starts_word) i = behind_quoted(text, i, end) - 1;
  }
  return end;
}

/// The key that begins at `at`: where it ends, if a colon follows.
std::optional<std::size_t> key_end(std::string_view text, std::size_t at, std::size_t end) {
  if (at >= end || opens(text[at])) return std::nullopt;
  std::size_t i = is_quote(text[at]) ? behind_quoted(text, at, end) : at;
  for (; i < end; ++i) {
    if (text[i] == ':' && (i + 1 == end || is_blank(text[i + 1]))) return i;
  }
  return std::nullopt;
}

Line read_line(std::string_view text, std::size_t begin) {
  Line line{.begin = begin, .end = std::min(text.find_first_of("\r\n", begin), text.size())};
  const std::size_t comment = comment_of(text, line.begin, line.end);
  line.commented = comment != line.end;
  line.end = comment;
  std::size_t at = begin;
  while (at < line.end && text[at] == ' ') ++at;
  line.first = at;
  while (at < line.end && text[at] == '-' && (at + 1 == line.end || is_blank(text[at + 1]))) {
    Token dash{.column = at - begin, .item = true, .begin = at, .end = at + 1};
    for (++at; at < line.end && is_blank(text[at]);) ++at;
    dash.value = at;
    line.tokens.push_back(std::move(dash));
  }
  if (const auto end = key_end(text, at, line.end)) {
    Token key{.column = at - begin, .key = unquoted(text.substr(at, *end - at)), .begin = at, .end = *end};
    for (at = *end + 1; at < line.end && is_blank(text[at]);) ++at;
    key.value = at;
    line.tokens.push_back(std::move(key));
  }
  line.rest = at;
  return line;
}

/// What brackets are open at the cursor, and what stands in them before it.
class FlowReader {
 public:
  FlowReader(std::string_view text, std::size_t begin, std::size_t cursor) : text_(text), at_(begin), cursor_(cursor) {}

  /// False when all were closed before.
  bool read(CursorPlace& place) {
    while (at_ < cursor_) {
      if (!step()) return false;
    }
    if (levels_.empty()) return false;
    for (Level& level : levels_) {
      if (level.map && !level.key && &level == &levels_.back()) continue;
      place.path.push_back(level.map ? Step{.key = level.key.value_or("")}
                                     : Step{.item = true, .earlier = std::move(level.items)});
    }
    const Level& inner = levels_.back();
    place.role = inner.map && !inner.key ? CursorPlace::Role::key : CursorPlace::Role::value;
    place.flow = true;
    take_word(place);
    return true;
  }

 private:
  struct Level {
    bool map = false;
    std::optional<std::string> key{};
    std::vector<std::string> items{};
  };

  bool step() {
    const char c = text_[at_];
    if (is_quote(c) && trim(word_).empty()) {
      begin_ = at_;
      const std::size_t end = behind_quoted(text_, at_, cursor_);
      word_ = text_.substr(at_, end - at_);
      at_ = end;
      return true;
    }
    ++at_;
    if (opens(c)) {
      levels_.push_back({.map = c == '{'});
      next_word();
      return levels_.size() <= k_deepest_flow;
    }
    if (c == '}' || c == ']') {
      levels_.pop_back();
      word_ = "()";  // what was closed is no plain item
      return !levels_.empty();
    }
    if (c == ',') {
      if (!levels_.back().map) levels_.back().items.push_back(unquoted(word_));
      levels_.back().key.reset();
      return next_word();
    }
    const bool ends_key = at_ >= text_.size() || is_blank(text_[at_]) || text_[at_] == '\n' || text_[at_] == '\r' ||
                          (!word_.empty() && is_quote(word_.front()));
    if (c == ':' && levels_.back().map && !levels_.back().key && ends_key) {
      levels_.back().key = unquoted(word_);
      return next_word();
    }
    if (c == '#' && at_ > 1 && is_blank(text_[at_ - 2])) {
      at_ = std::min({text_.find('\n', at_), cursor_, text_.size()});
      return true;
    }
    const bool blank = is_blank(c) || c == '\n' || c == '\r';
    if (word_.empty() && blank) return true;
    if (word_.empty()) begin_ = at_ - 1;
    word_ += c;
    return true;
  }

  bool next_word() {
    word_.clear();
    begin_ = at_;
    return true;
  }

  void take_word(CursorPlace& place) const {
    const bool quoted = !word_.empty() && is_quote(word_.front());
    place.begin = word_.empty() ? cursor_ : begin_ + (quoted ? 1 : 0);
    place.end = text_.find_first_of(quoted ? std::string{word_.front(), '\n'} : ",]}\r\n \t", cursor_);
    place.end = std::min(place.end, text_.size());
    if (!quoted && place.role == CursorPlace::Role::key && place.end > cursor_ && text_[place.end - 1] == ':')
      --place.end;
    if (word_ == "()" || (quoted && word_.size() > 1 && word_.back() == word_.front()))
      place.role = CursorPlace::Role::none;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t cursor_;
  std::size_t begin_ = 0;
  std::string word_;
  std::vector<Level> levels_;
};

class BlockReader {
 public:
  BlockReader(std::string_view text, std::size_t cursor) : text_(text), cursor_(cursor) {}

  CursorPlace read() {
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && first < cursor_ && opens(text_[first])) {
      if (!FlowReader(text_, first, cursor_).read(place_)) place_ = {};
      return finished();
    }
    const std::size_t begin = line_begin(cursor_);
    const Line line = read_line(text_, begin);
    if (line.commented && cursor_ > line.end) return {};
    own_line(line);
    if (place_.role != CursorPlace::Role::none) outwards(begin);
    return finished();
  }

 private:
  [[nodiscard]] std::size_t line_begin(std::size_t at) const {
    const std::size_t before = at == 0 ? std::string_view::npos : text_.find_last_of("\r\n", at - 1);
    return before == std::string_view::npos ? 0 : before + 1;
  }

  /// What the cursor's own line says: its role, its word, and the levels that stand in this line (the innermost first).
  void own_line(const Line& line) {
    const Token* last = nullptr;
    for (const Token& token : line.tokens) {
      if (token.begin <= cursor_ && (!token.item || cursor_ >= token.value)) last = &token;
    }
    if (last == nullptr) {
      place_.role = CursorPlace::Role::key;
      const bool before = cursor_ < line.first;
      limit_ = {before ? cursor_ - line.begin : line.first - line.begin, false};
      word_from(before ? cursor_ : line.first, before ? cursor_ : line.end);
      return;
    }
    const bool on_key = !last->item && cursor_ <= last->end;
    if (on_key) {
      place_.role = CursorPlace::Role::key;
      word_from(last->begin, last->end);
      limit_ = {last->column, false};
    } else {
      place_.role = CursorPlace::Role::value;
      word_from(std::min(last->value, cursor_), line.end);
      if (enter(*last)) return;
    }
    left_of(line, *last);
  }

  void left_of(const Line& line, const Token& last) {
    for (auto token = line.tokens.rbegin(); token != line.tokens.rend(); ++token) {
      if (token->begin < last.begin && enter(*token)) return;
    }
  }

  /// The word of a line from `begin` to `end`, less the blanks behind it.
  void word_from(std::size_t begin, std::size_t end) {
    while (end > begin && end > cursor_ && is_blank(text_[end - 1])) --end;
    if (begin < end && is_quote(text_[begin])) {
      const std::size_t behind = behind_quoted(text_, begin, end);
      if (behind <= cursor_ && behind == end && end - begin > 1 && text_[end - 1] == text_[begin] && cursor_ > end)
        place_.role = CursorPlace::Role::none;
      const bool closed = behind - begin > 1 && text_[behind - 1] == text_[begin];
      end = behind - (closed ? 1 : 0);
      ++begin;
    }
    place_.begin = std::min(begin, cursor_);
    place_.end = std::max(end, cursor_);
  }

  struct Limit {
    std::size_t column = 0;
    bool item = false;
  };

  /// One level further out. True: its value is open brackets or a text, and no other level counts.
  bool enter(const Token& token) {
    limit_ = {token.column, token.item};
    levels_.push_back(token.item ? Step{.item = true} : Step{.key = token.key});
    if (token.value >= text_.size() || token.value >= cursor_) return false;
    const char c = text_[token.value];
    if (!token.item && (c == '|' || c == '>')) {
      place_.role = CursorPlace::Role::none;
      return true;
    }
    if (!opens(c) || cursor_ - token.value > k_longest_flow) return false;
    CursorPlace inside;
    if (FlowReader(text_, token.value, cursor_).read(inside)) {
      levels_ = {levels_.back()};
      place_ = std::move(inside);
      return false;
    }
    if (line_begin(token.value) == line_begin(cursor_)) place_.role = CursorPlace::Role::none;
    return false;
  }

  void outwards(std::size_t begin) {
    while (begin > 0 && (limit_.column > 0 || limit_.item)) {
      begin = line_begin(begin - 1);
      const Line line = read_line(text_, begin);
      for (auto token = line.tokens.rbegin(); token != line.tokens.rend(); ++token) {
        const bool out =
            token->column < limit_.column || (token->column == limit_.column && limit_.item && !token->item);
        if (out) {
          if (enter(*token)) return;
        } else if (token->item && limit_.item && token->column == limit_.column) {
          const std::size_t end = std::max(line.end, token->value);
          levels_.back().earlier.push_back(unquoted(text_.substr(token->value, end - token->value)));
        }
      }
    }
  }

  CursorPlace finished() {
    for (Step& level : levels_)
      std::reverse(level.earlier.begin(), level.earlier.end());  // found from the last to the first
    std::vector<Step> path(levels_.rbegin(), levels_.rend());
    path.insert(path.end(), place_.path.begin(), place_.path.end());
    place_.path = std::move(path);
    if (place_.role == CursorPlace::Role::none) return {};
    place_.word = text_.substr(place_.begin, place_.end - place_.begin);
    place_.typed = text_.substr(place_.begin, cursor_ - place_.begin);
    return std::move(place_);
  }

  std::string_view text_;
  std::size_t cursor_;
  CursorPlace place_;
  Limit limit_;
  std::vector<Step> levels_;  ///< the innermost first
};

}  // namespace

CursorPlace place_at(std::string_view text, std::size_t offset) {
  return BlockReader(text, std::min(offset, text.size())).read();
}

}  // namespace hearth::metadata::lsp
