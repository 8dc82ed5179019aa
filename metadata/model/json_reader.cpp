#include "metadata/model/json_reader.hpp"

#include <cstdlib>
#include <limits>
#include <string>

#include "base/json.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr int k_deepest = 512;

struct Stop {
  std::size_t offset;
  std::string what;
};

class Reader {
 public:
  Reader(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  Value document() {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") throw Stop{0, "Unexpected UTF-8 BOM (decode using utf-8-sig)"};
    blanks();
    Value value = any(0);
    blanks();
    if (offset_ < text_.size()) throw Stop{offset_, "Extra data"};
    return value;
  }

 private:
  [[nodiscard]] char peek() const { return offset_ < text_.size() ? text_[offset_] : '\0'; }
  [[nodiscard]] bool take(std::string_view word) {
    if (text_.substr(offset_, word.size()) != word) return false;
    offset_ += word.size();
    return true;
  }
  void blanks() {
    for (;; ++offset_) {
      const char c = peek();
      if (c == '\n') {
        ++line_;
        line_start_ = offset_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }
  [[nodiscard]] Mark here() const { return {file_, line_, static_cast<std::uint32_t>(offset_ - line_start_ + 1)}; }

  Value any(int depth) {
    if (depth > k_deepest) throw Stop{offset_, "nested too deeply"};
    const Mark mark = here();
    return value_here(depth).with_mark(mark);
  }

  Value value_here(int depth) {
    switch (peek()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return Value::string(string());
      default: break;
    }
    if (take("true")) return Value::boolean(true);
    if (take("false")) return Value::boolean(false);
    if (take("null")) return {};
    if (take("NaN")) return Value::real(std::numeric_limits<double>::quiet_NaN());
    if (take("Infinity")) return Value::real(std::numeric_limits<double>::infinity());
    if (take("-Infinity")) return Value::real(-std::numeric_limits<double>::infinity());
    return number();
  }

  [[nodiscard]] std::size_t digits_from(std::size_t at) const {
    while (at < text_.size() && text_[at] >= '0' && text_[at] <= '9') ++at;
    return at;
  }

  Value number() {
    const std::size_t first = offset_ + (peek() == '-' ? 1 : 0);
    std::size_t end = digits_from(first);
    if (end == first) throw Stop{offset_, "Expecting value"};
    if (text_[first] == '0') end = first + 1;
    bool real = false;
    if (end < text_.size() && text_[end] == '.' && digits_from(end + 1) > end + 1) {
      real = true;
      end = digits_from(end + 1);
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const std::size_t sign = end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-') ? 1 : 0;
      if (digits_from(end + 1 + sign) > end + 1 + sign) {
        real = true;
        end = digits_from(end + 1 + sign);
      }
    }
    const std::string text(text_.substr(offset_, end - offset_));
    offset_ = end;
    return real ? Value::real(std::strtod(text.c_str(), nullptr)) : Value::big_integer(text);
  }

  /// Plain strings are copied; one with an escape is left to base's reader.
  std::string string() {
    const std::size_t begin = offset_++;
    bool escapes = false;
    for (; offset_ < text_.size() && text_[offset_] != '"'; ++offset_) {
      if (static_cast<unsigned char>(text_[offset_]) < 0x20) throw Stop{offset_, "Invalid control character at"};
      if (text_[offset_] != '\\') continue;
      escapes = true;
      ++offset_;
    }
    if (offset_ >= text_.size()) throw Stop{begin, "Unterminated string starting at"};
    ++offset_;
    const std::string_view quoted = text_.substr(begin, offset_ - begin);
    if (!escapes) return std::string(quoted.substr(1, quoted.size() - 2));
    const Result<Json> read = parse_python_json(quoted, "");
    if (!read) throw Stop{begin + static_cast<std::size_t>(std::max(read.error().at.column, 1)) - 1, read.error().what};
    return read->get<std::string>();
  }

  Value array(int depth) {
    ++offset_;
    std::vector<Value> items;
    blanks();
    if (take("]")) return Value::list({});
    for (;;) {
      blanks();
      items.push_back(any(depth + 1));
      blanks();
      if (take("]")) return Value::list(std::move(items));
      if (!take(",")) throw Stop{offset_, "Expecting ',' delimiter"};
    }
  }

  Value object(int depth) {
    ++offset_;
    MapBuilder members;
    blanks();
    if (take("}")) return Value::map({});
    for (;;) {
      blanks();
      if (peek() != '"') throw Stop{offset_, "Expecting property name enclosed in double quotes"};
      const Mark mark = here();
      const Value key = Value::string(string()).with_mark(mark);
      blanks();
      if (!take(":")) throw Stop{offset_, "Expecting ':' delimiter"};
      blanks();
      members.set(key, any(depth + 1));
      blanks();
      if (take("}")) return Value::map(std::move(members));
      if (!take(",")) throw Stop{offset_, "Expecting ',' delimiter"};
    }
  }

  std::string_view text_;
  std::uint32_t file_;
  std::size_t offset_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

Position position_of(std::string_view text, std::size_t offset) {
  Position at{1, 1};
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++at.line;
      at.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) {
      ++at.column;
    }
  }
  return at;
}

}  // namespace

Result<Value> parse_json_value(std::string_view text, std::string_view source, std::uint32_t file) {
  try {
    return Reader(text, file).document();
  } catch (const Stop& stop) {
    return ParseError{std::string(source), position_of(text, stop.offset), stop.what};
  }
}

std::string json_error_text(const ParseError& error, std::string_view text) {
  std::size_t character = 0;
  Position at{1, 1};
  for (std::size_t i = 0; i < text.size() && !(at == error.at); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80U) continue;
    ++character;
    at = text[i] == '\n' ? Position{at.line + 1, 1} : Position{at.line, at.column + 1};
  }
  return cat(error.what, ": line ", error.at.line, " column ", error.at.column, " (char ", character, ")");
}

}  // namespace hearth::metadata
