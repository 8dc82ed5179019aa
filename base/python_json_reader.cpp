// parse_python_json: a recursive-descent reader. Own, because nlohmann's refuses NaN and lone surrogates and rounds
// integers beyond 64 bits; the grammar and the error texts are those of Python's json module.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include "base/position.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth {

namespace {

constexpr int k_deepest_python = 512;
/// Objects up to this many members are searched one by one for duplicate keys; larger ones get an index.
constexpr std::size_t k_index_from = 24;
/// Room for so many members is made at once: growing copies their keys.
constexpr std::size_t k_usual_size = 4;

/// Thrown inside the reader only; parse_python_json turns it into a ParseError.
struct Failure {
  std::size_t offset;
  std::string what;
};

/// Collects members; a repeated key gets its new value in its old place.
class ObjectBuilder {
 public:
  void add(std::string key, Json value) {
    if (Json* existing = find(key)) {
      *existing = std::move(value);
      return;
    }
    if (members_.empty()) members_.reserve(k_usual_size);
    members_.emplace_back(std::move(key), std::move(value));
    if (members_.size() >= k_index_from) extend_index();
  }
  [[nodiscard]] Json take() {
    Json object = Json::object();
    object.get_ref<Json::object_t&>() = std::move(members_);
    return object;
  }

 private:
  Json* find(const std::string& key) {
    if (!index_.empty()) {
      const auto found = index_.find(key);
      return found == index_.end() ? nullptr : &members_.at_index(found->second);
    }
    for (auto& member : members_) {
      if (member.first == key) return &member.second;
    }
    return nullptr;
  }
  void extend_index() {
    for (std::size_t i = index_.size(); i < members_.size(); ++i) index_.emplace(members_.key(i), i);
  }

  /// ordered_map is a vector of pairs whose own emplace searches for the key each time; the vector's does not.
  struct Members : Json::object_t {
    void emplace_back(std::string key, Json value) { Container::emplace_back(std::move(key), std::move(value)); }
    Json& at_index(std::size_t i) { return Container::operator[](i).second; }
    const std::string& key(std::size_t i) const { return Container::operator[](i).first; }
  };
  Members members_;
  std::unordered_map<std::string, std::size_t> index_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json read_document() {
    skip_blanks();
    Json value = read_value();
    skip_blanks();
    if (at_ != text_.size()) fail("Extra data");
    return value;
  }

 private:
  [[noreturn]] void fail(std::string what) const { throw Failure{at_, std::move(what)}; }
  [[noreturn]] static void fail_at(std::size_t offset, std::string what) { throw Failure{offset, std::move(what)}; }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json read_value() {
    const char c = peek();
    if (c == '"') return read_string();
    if (c == '{') return nested([this] { return read_object(); });
    if (c == '[') return nested([this] { return read_array(); });
    if (take("null")) return nullptr;
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("NaN")) return std::numeric_limits<double>::quiet_NaN();
    if (take("Infinity")) return std::numeric_limits<double>::infinity();
    if (take("-Infinity")) return -std::numeric_limits<double>::infinity();
    return read_number();
  }

  template <class Read>
  Json nested(Read read) {
    if (++depth_ > k_deepest_python) fail(cat("nested deeper than ", k_deepest_python, " levels"));
    Json value = read();
    --depth_;
    return value;
  }

  Json read_object() {
    ++at_;
    ObjectBuilder object;
    skip_blanks();
    if (take("}")) return object.take();
    while (true) {
      if (peek() != '"') fail("Expecting property name enclosed in double quotes");
      std::string key = read_string();
      skip_blanks();
      if (!take(":")) fail("Expecting ':' delimiter");
      skip_blanks();
      object.add(std::move(key), read_value());
      skip_blanks();
      if (take("}")) return object.take();
      if (!take(",")) fail("Expecting ',' delimiter");
      skip_blanks();
    }
  }

  Json read_array() {
    ++at_;
    Json array = Json::array();
    skip_blanks();
    if (take("]")) return array;
    while (true) {
      array.push_back(read_value());
      skip_blanks();
      if (take("]")) return array;
      if (!take(",")) fail("Expecting ',' delimiter");
      skip_blanks();
    }
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  Json read_number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    if (!is_digit(peek())) fail_at(begin, "Expecting value");
    if (peek() == '0') {
      ++at_;
    } else {
      skip_digits();
    }
    const std::size_t integer_end = at_;
    take_fraction();
    take_exponent();
    const std::string_view literal = text_.substr(begin, at_ - begin);
    return at_ == integer_end ? integer_of(literal) : Json(float_of(literal));
  }

  void take_fraction() {
    if (peek() != '.' || at_ + 1 >= text_.size() || !is_digit(text_[at_ + 1])) return;
    ++at_;
    skip_digits();
  }

  void take_exponent() {
    if (peek() != 'e' && peek() != 'E') return;
    const std::size_t mark = at_++;
    if (peek() == '+' || peek() == '-') ++at_;
    if (!is_digit(peek())) {
      at_ = mark;
      return;
    }
    skip_digits();
  }

  static Json integer_of(std::string_view literal) {
    std::int64_t number = 0;
    const char* end = literal.data() + literal.size();
    if (std::from_chars(literal.data(), end, number).ec == std::errc()) return number;
    std::uint64_t large = 0;
    if (literal.front() != '-' && std::from_chars(literal.data(), end, large).ec == std::errc()) return large;
    return make_big_integer(literal);
  }

  static double float_of(std::string_view literal) {
    return std::strtod(std::string(literal).c_str(), nullptr);  // out of range: infinity, or the nearest to zero
  }

  std::string read_string() {
    const std::size_t begin = at_++;
    std::string out;
    while (true) {
      std::size_t plain_end = at_;
      while (plain_end < text_.size() && !ends_plain_run(text_[plain_end])) ++plain_end;
      if (plain_end == text_.size()) fail_at(begin, "Unterminated string starting at");
      out.append(text_.substr(at_, plain_end - at_));
      at_ = plain_end;
      if (take("\"")) return out;
      if (peek() != '\\') fail("Invalid control character at");
      read_escape(out, begin);
    }
  }

  void read_escape(std::string& out, std::size_t string_begin) {
    const std::size_t backslash = at_++;
    if (at_ >= text_.size()) fail_at(string_begin, "Unterminated string starting at");
    const char c = text_[at_++];
    static constexpr std::string_view names = "\"\\/bfnrt";
    static constexpr std::string_view values = "\"\\/\b\f\n\r\t";
    const std::size_t found = names.find(c);
    if (found != std::string_view::npos) {
      out.push_back(values[found]);
    } else if (c == 'u') {
      append_utf8(out, read_unicode_escape());
    } else {
      fail_at(backslash, "Invalid \\escape");
    }
  }

  /// After "\u": the code point; a pair of surrogate escapes is one, and a lone surrogate is left for append_utf8 to
  /// replace.
  char32_t read_unicode_escape() {
    const char32_t first = read_hex4();
    if (first < 0xd800 || first > 0xdbff || text_.substr(at_, 2) != "\\u") return first;
    const std::size_t rewind = at_;
    at_ += 2;
    const char32_t second = read_hex4();
    if (second >= 0xdc00 && second <= 0xdfff) return 0x10000 + ((first - 0xd800) << 10U) + (second - 0xdc00);
    at_ = rewind;
    return first;
  }

  char32_t read_hex4() {
    std::uint32_t value = 0;
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    const char* end = digits.data() + digits.size();
    if (digits.size() != 4 || std::from_chars(digits.data(), end, value, 16).ptr != end) {
      fail_at(at_ - 1, "Invalid \\uXXXX escape");
    }
    at_ += 4;
    return value;
  }

  /// A character of a string that does not stand for itself: quote, backslash, control.
  static bool ends_plain_run(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Json> parse_python_json(std::string_view text, std::string_view source) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") return ParseError{std::string(source), {1, 1}, "Unexpected UTF-8 BOM"};
  if (!is_valid_utf8(text)) return ParseError{std::string(source), {}, "not valid UTF-8"};
  try {
    return Reader(text).read_document();
  } catch (const Failure& failure) {
    return ParseError{std::string(source), position_in(text, failure.offset), failure.what};
  }
}

}  // namespace hearth
