#include "metadata/model/yaml_scanner.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/model/yaml_scalars.hpp"

namespace hearth::metadata::yaml {

namespace {
constexpr std::size_t k_deepest_flow = 512;
constexpr std::size_t k_longest_key = 1024;
}  // namespace

Scanner::Scanner(std::string_view text, std::string_view source)
    : cursor_(text.substr(0, 3) == "\xef\xbb\xbf" ? text.substr(3) : text, source) {}

const Token& Scanner::peek() {
  fetch_more();
  return queue_.front();
}

Token Scanner::take() {
  fetch_more();
  Token token = std::move(queue_.front());
  queue_.pop_front();
  ++taken_;
  return token;
}

/// Until the first token in the queue can't get a key token before it.
void Scanner::fetch_more() {
  for (;;) {
    bool undecided = queue_.empty();
    if (!undecided) {
      drop_stale_keys();
      undecided =
          std::any_of(keys_.begin(), keys_.end(), [this](const auto& key) { return key && key->number == taken_; });
    }
    if (!undecided || ended_) return;
    fetch_next();
  }
}

void Scanner::add(Token::Type type, std::size_t length) {
  queue_.push_back({.type = type, .begin = cursor_.place()});
  cursor_.skip(length);
}

void Scanner::skip_to_token() {
  for (;;) {
    // A tab is white space only where no key could begin.
    while (cursor_.peek() == ' ' || (cursor_.peek() == '\t' && (keys_.size() > 1 || !key_allowed_))) cursor_.skip();
    if (cursor_.peek() == '#') {
      while (!cursor_.is_break() && !cursor_.is_end()) cursor_.skip();
    }
    if (!cursor_.is_break()) return;
    cursor_.take_break();
    if (keys_.size() == 1) key_allowed_ = true;
  }
}

void Scanner::fetch_next() {
  skip_to_token();
  drop_stale_keys();
  unroll_indent(cursor_.column());
  if (cursor_.is_end()) return fetch_end();
  if (cursor_.column() == 0 && cursor_.peek() == '%') return fetch_directive();
  if (cursor_.at_document_mark()) return fetch_document_mark();
  const char c = cursor_.peek();
  if (fetch_flow_indicator(c) || fetch_indicator(c)) return;
  if (starts_plain(c)) return fetch_plain();
  const std::string shown = c == '\t' ? "\\t" : std::string(1, c);
  cursor_.fail(cat("found character '", shown, "' that cannot start any token",
                   c == '\t' ? "; YAML is indented by blanks only" : ""));
}

bool Scanner::fetch_flow_indicator(char c) {
  switch (c) {
    case '[': fetch_flow_start(Token::Type::flow_sequence_start); return true;
    case '{': fetch_flow_start(Token::Type::flow_mapping_start); return true;
    case ']': fetch_flow_end(Token::Type::flow_sequence_end); return true;
    case '}': fetch_flow_end(Token::Type::flow_mapping_end); return true;
    case ',': fetch_flow_entry(); return true;
    default: return false;
  }
}

bool Scanner::fetch_indicator(char c) {
  const bool flow = keys_.size() > 1;
  switch (c) {
    case '-': return cursor_.is_space(1) ? (fetch_block_entry(), true) : false;
    case '?': return flow || cursor_.is_space(1) ? (fetch_key(), true) : false;
    case ':': return flow || cursor_.is_space(1) ? (fetch_value(), true) : false;
    case '*': fetch_name(Token::Type::alias); return true;
    case '&': fetch_name(Token::Type::anchor); return true;
    case '!': fetch_tag(); return true;
    case '|':
    case '>': return flow ? false : (fetch_block_scalar(), true);
    case '\'':
    case '"': fetch_quoted(); return true;
    default: return false;
  }
}

bool Scanner::starts_plain(char c) const {
  if (!cursor_.is_space() && std::string_view("-?:,[]{}#&*!|>'\"%@`").find(c) == std::string_view::npos) return true;
  if (c == '-' && !cursor_.is_blank(1)) return true;
  return keys_.size() == 1 && (c == '?' || c == ':') && !cursor_.is_space(1);
}

void Scanner::drop_stale_keys() {
  for (auto& key : keys_) {
    if (!key) continue;
    if (key->begin.line == cursor_.place().line && key->begin.offset + k_longest_key >= cursor_.place().offset)
      continue;
    if (key->required) cursor_.fail(key->begin, "could not find the ':' that a key needs");
    key.reset();
  }
}

void Scanner::save_key() {
  const bool required = keys_.size() == 1 && indent_ == cursor_.column();
  if (!key_allowed_) return;
  remove_key();
  keys_.back() = SimpleKey{required, taken_ + queue_.size(), cursor_.place()};
}

void Scanner::remove_key() {
  if (keys_.back() && keys_.back()->required)
    cursor_.fail(keys_.back()->begin, "could not find the ':' that a key needs");
  keys_.back().reset();
}

void Scanner::roll_indent(int column, Token::Type type, const Place& at, std::optional<std::size_t> number) {
  if (keys_.size() > 1 || indent_ >= column) return;
  if (indents_.size() > k_deepest_flow) cursor_.fail("nested too deeply");
  indents_.push_back(indent_);
  indent_ = column;
  const Token token{.type = type, .begin = at};
  if (number) {
    queue_.insert(queue_.begin() + static_cast<std::ptrdiff_t>(*number - taken_), token);
  } else {
    queue_.push_back(token);
  }
}

void Scanner::unroll_indent(int column) {
  if (keys_.size() > 1) return;
  while (indent_ > column) {
    queue_.push_back({.type = Token::Type::block_end, .begin = cursor_.place()});
    indent_ = indents_.back();
    indents_.pop_back();
  }
}

void Scanner::fetch_end() {
  unroll_indent(-1);
  remove_key();
  key_allowed_ = false;
  queue_.push_back({.type = Token::Type::end, .begin = cursor_.place()});
  ended_ = true;
}

void Scanner::fetch_directive() {
  unroll_indent(-1);
  remove_key();
  key_allowed_ = false;
  const Place begin = cursor_.place();
  while (!cursor_.is_break() && !cursor_.is_end()) cursor_.skip();
  const std::vector<std::string> words = split_words(cursor_.since(begin));
  if (words[0] == "%YAML") {
    const bool good = words.size() >= 2 && (words[1] == "1.1" || words[1] == "1.2" || words[1].rfind("1.", 0) == 0);
    if (!good) cursor_.fail(begin, "found incompatible YAML document");
  } else if (words[0] != "%TAG") {
    cursor_.fail(begin, "found unknown directive name");
  }
  directive_ = true;
}

void Scanner::fetch_document_mark() {
  unroll_indent(-1);
  remove_key();
  key_allowed_ = false;
  add(cursor_.peek() == '-' ? Token::Type::document_start : Token::Type::document_end, 3);
}

void Scanner::fetch_flow_start(Token::Type type) {
  save_key();
  if (keys_.size() > k_deepest_flow) cursor_.fail("nested too deeply");
  keys_.emplace_back();
  key_allowed_ = true;
  add(type, 1);
}

void Scanner::fetch_flow_end(Token::Type type) {
  remove_key();
  if (keys_.size() > 1) keys_.pop_back();
  key_allowed_ = false;
  add(type, 1);
}

void Scanner::fetch_flow_entry() {
  remove_key();
  key_allowed_ = true;
  add(Token::Type::flow_entry, 1);
}

void Scanner::fetch_block_entry() {
  if (keys_.size() == 1) {
    if (!key_allowed_) cursor_.fail("a list item ('- ') is not allowed here");
    roll_indent(cursor_.column(), Token::Type::block_sequence_start, cursor_.place());
  }
  remove_key();
  key_allowed_ = true;
  add(Token::Type::block_entry, 1);
}

void Scanner::fetch_key() {
  if (keys_.size() == 1) {
    if (!key_allowed_) cursor_.fail("mapping keys are not allowed here");
    roll_indent(cursor_.column(), Token::Type::block_mapping_start, cursor_.place());
  }
  remove_key();
  key_allowed_ = keys_.size() == 1;
  add(Token::Type::key, 1);
}

void Scanner::fetch_value() {
  std::optional<SimpleKey>& key = keys_.back();
  if (key) {
    const SimpleKey found = *key;
    const auto place = static_cast<std::ptrdiff_t>(found.number - taken_);
    queue_.insert(queue_.begin() + place, {.type = Token::Type::key, .begin = found.begin});
    roll_indent(found.begin.column - 1, Token::Type::block_mapping_start, found.begin, found.number);
    key.reset();
    key_allowed_ = false;
  } else {
    if (keys_.size() == 1) {
      if (!key_allowed_)
        cursor_.fail("mapping values are not allowed here; a ':' inside a text needs quotes around it");
      roll_indent(cursor_.column(), Token::Type::block_mapping_start, cursor_.place());
    }
    key_allowed_ = keys_.size() == 1;
  }
  add(Token::Type::value, 1);
}

void Scanner::fetch_name(Token::Type type) {
  save_key();
  key_allowed_ = false;
  const Place begin = cursor_.place();
  cursor_.skip();
  const Place name = cursor_.place();
  const auto in_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  while (in_name(cursor_.peek())) cursor_.skip();
  const std::string text(cursor_.since(name));
  if (text.empty() ||
      !(cursor_.is_space() || std::string_view("?:,]}%@`").find(cursor_.peek()) != std::string_view::npos)) {
    cursor_.fail(begin, "the name of an anchor or alias is made of letters, digits, '-' and '_'");
  }
  queue_.push_back({.type = type, .begin = begin, .text = text});
}

void Scanner::fetch_tag() {
  save_key();
  key_allowed_ = false;
  const Place begin = cursor_.place();
  if (cursor_.peek(1) == '<') {
    while (!cursor_.is_space() && cursor_.peek() != '>') cursor_.skip();
    if (cursor_.peek() != '>') cursor_.fail(begin, "this tag is not closed by '>'");
    cursor_.skip();
  } else {
    const bool flow = keys_.size() > 1;
    while (!cursor_.is_space() && !(flow && std::string_view(",[]{}").find(cursor_.peek()) != std::string_view::npos)) {
      cursor_.skip();
    }
  }
  std::string text(cursor_.since(begin));
  if (text.rfind("!<", 0) == 0) {
    text = text.substr(2, text.size() - 3);
  } else if (text.rfind("!!", 0) == 0) {
    text = "tag:yaml.org,2002:" + text.substr(2);
  }
  if (!cursor_.is_space() && cursor_.peek() != ',') cursor_.fail(begin, "white space is missing behind this tag");
  queue_.push_back({.type = Token::Type::tag, .begin = begin, .text = text});
}

void Scanner::fetch_block_scalar() {
  remove_key();
  key_allowed_ = true;
  const Place begin = cursor_.place();
  Text text = read_block(cursor_, indent_);
  queue_.push_back({.type = Token::Type::scalar, .begin = begin, .text = std::move(text.value), .block = true});
}

void Scanner::fetch_quoted() {
  save_key();
  key_allowed_ = false;
  const Place begin = cursor_.place();
  Text text = read_quoted(cursor_);
  queue_.push_back({.type = Token::Type::scalar, .begin = begin, .text = std::move(text.value)});
}

void Scanner::fetch_plain() {
  save_key();
  key_allowed_ = false;
  const Place begin = cursor_.place();
  Text text = read_plain(cursor_, indent_, keys_.size() > 1);
  if (text.crossed_line) key_allowed_ = true;
  queue_.push_back({.type = Token::Type::scalar, .begin = begin, .text = std::move(text.value), .plain = true});
}

}  // namespace hearth::metadata::yaml
