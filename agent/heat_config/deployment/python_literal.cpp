#include "agent/heat_config/deployment/python_literal.hpp"

#include <algorithm>

#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_deepest = 64;

void append_utf8(std::string& out, unsigned long code) {
  const auto byte = [&out](unsigned long value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

/// Recursive descent; the first mistake ends it.
class Reader {
 public:
  Reader(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  Result<Json> read() {
    Json value = read_value(0);
    skip_space();
    if (!failed_ && at_ != text_.size()) fail("something follows the value");
    if (failed_) return ParseError{std::string(source_), {1, static_cast<int>(at_) + 1}, what_};
    return value;
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  Json fail(std::string_view what) {
    if (!failed_) what_ = what;
    failed_ = true;
    return nullptr;
  }

  Json read_value(int depth) {
    if (depth > k_deepest) return fail("it is nested too deeply");
    skip_space();
    if (take('[')) return read_items(']', depth);
    if (take('(')) return read_items(')', depth);
    if (take('{')) return read_members(depth);
    if (is_string_next()) return read_strings();
    return read_word();
  }

  Json read_items(char end, int depth) {
    Json items = Json::array();
    while (!failed_ && !take(end)) {
      items.push_back(read_value(depth + 1));
      if (take(',')) continue;
      if (!failed_ && !take(end)) return fail("',' or the end of the list is missing");
      break;
    }
    return items;
  }

  Json read_members(int depth) {
    Json members = Json::object();
    while (!failed_ && !take('}')) {
      const Json key = read_value(depth + 1);
      if (!failed_ && !key.is_string()) return fail("a key is no text");
      if (!failed_ && !take(':')) return fail("':' is missing");
      if (failed_) break;
      members[key.get<std::string>()] = read_value(depth + 1);
      if (take(',')) continue;
      if (!failed_ && !take('}')) return fail("',' or '}' is missing");
      break;
    }
    return members;
  }

  /// A quote, or one letter before it.
  [[nodiscard]] bool is_string_next() const {
    const std::size_t quote = std::string_view("uUrR").find(peek()) == std::string_view::npos ? at_ : at_ + 1;
    return quote < text_.size() && (text_[quote] == '\'' || text_[quote] == '"');
  }

  /// Strings beside each other are one.
  Json read_strings() {
    std::string text;
    while (!failed_) {
      const bool raw = peek() == 'r' || peek() == 'R';
      const char before = peek();
      if (before != '\'' && before != '"') ++at_;
      read_string(text, raw);
      skip_space();
      if (!is_string_next()) break;
    }
    return text;
  }

  void read_string(std::string& out, bool raw) {
    const char quote = text_[at_];
    const bool triple = text_.substr(at_, 3) == std::string(3, quote);
    const std::string end(triple ? 3 : 1, quote);
    at_ += end.size();
    while (!failed_ && text_.substr(at_, end.size()) != end) {
      if (at_ >= text_.size()) {
        fail("a string has no end");
        return;
      }
      if (text_[at_] == '\\' && !raw) {
        read_escape(out);
      } else {
        out.push_back(text_[at_++]);
      }
    }
    if (!failed_) at_ += end.size();
  }

  void read_escape(std::string& out) {
    static constexpr std::string_view names = "\\'\"abfnrtv";
    static constexpr std::string_view values = "\\'\"\a\b\f\n\r\t\v";
    ++at_;
    if (at_ >= text_.size()) {
      fail("a string has no end");
      return;
    }
    const char c = text_[at_++];
    const std::size_t simple = names.find(c);
    if (simple != std::string_view::npos) {
      out.push_back(values[simple]);
    } else if (c == 'x' || c == 'u' || c == 'U') {
      read_code(out, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    } else if (c != '\n') {  // an escaped line end vanishes; what is no escape stays
      out.push_back('\\');
      out.push_back(c);
    }
  }

  void read_code(std::string& out, std::size_t digits) {
    unsigned long code = 0;
    for (std::size_t i = 0; i < digits; ++i, ++at_) {
      const std::size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(peek() | 0x20));
      if (at_ >= text_.size() || digit == std::string_view::npos) {
        fail("a \\x escape is wrong");
        return;
      }
      code = code << 4 | digit;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
    append_utf8(out, code);
  }

  /// Numbers are written as JSON's are; underscores, hexadecimal and the like are not for values of inputs.
  Json read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(",:]}) \t\r\n").find(text_[at_]) == std::string_view::npos) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "True") return true;
    if (word == "False") return false;
    if (word == "None") return nullptr;
    Result<Json> number = parse_python_json(word, source_);
    if (number && number->is_primitive() && !number->is_boolean() && !number->is_null()) return *number;
    at_ = begin;
    return fail("this is no literal");
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t at_ = 0;
  bool failed_ = false;
  std::string what_;
};

}  // namespace

Result<Json> parse_python_literal(std::string_view text, std::string_view source) {
  return Reader(text, source).read();
}

}  // namespace hearth::agent
