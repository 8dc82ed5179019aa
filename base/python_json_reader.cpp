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

class ArrayBuilder {
 public:
  void add(Json value) { array_.push_back(std::move(value)); }
  [[nodiscard]] Json take() { return std::move(array_); }

 private:
  Json array_ = Json::array();
};

Json integer_of(std::string_view literal) {
  std::int64_t number = 0;
  const char* end = literal.data() + literal.size();
  if (std::from_chars(literal.data(), end, number).ec == std::errc()) return number;
  std::uint64_t large = 0;
  if (literal.front() != '-' && std::from_chars(literal.data(), end, large).ec == std::errc()) return large;
  return make_big_integer(literal);
}

double float_of(std::string_view literal) {
  return std::strtod(std::string(literal).c_str(), nullptr);  // out of range: infinity, or the nearest to zero
}

/// What the reader makes of what it reads: values.
struct Kept {
  using Text = std::string;
  using Value = Json;
  using Object = ObjectBuilder;
  using Array = ArrayBuilder;
  static Json integer(std::string_view literal) { return integer_of(literal); }
  static Json real(std::string_view literal) { return float_of(literal); }
  static void append_character(std::string& text, char32_t character) { append_utf8(text, character); }
};

/// Or nothing: only the grammar counts.
struct Passed {
  struct Nothing {
    Nothing() = default;
    Nothing(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): these stand where values would
    Nothing(bool) {}            // NOLINT(google-explicit-constructor)
    Nothing(double) {}          // NOLINT(google-explicit-constructor)
    void append(std::string_view) {}
    void push_back(char) {}
    void add(Nothing) {}
    void add(Nothing, Nothing) {}
    [[nodiscard]] Nothing take() const { return {}; }
  };
  using Text = Nothing;
  using Value = Nothing;
  using Object = Nothing;
  using Array = Nothing;
  static Nothing integer(std::string_view) { return {}; }
  static Nothing real(std::string_view) { return {}; }
  static void append_character(Nothing, char32_t) {}
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json read_document() {
    skip_blanks();
    Json value = read_value<Kept>();
    finish();
    return value;
  }

  std::optional<std::vector<JsonMember>> read_members() {
    skip_blanks();
    if (peek() != '{') {
      read_value<Passed>();
      finish();
      return std::nullopt;
    }
    std::vector<JsonMember> members;
    ++depth_;
    read_pairs([this, &members] {
      std::string key = read_key<Kept>();
      const std::size_t begin = at_;
      read_value<Passed>();
      members.push_back({std::move(key), text_.substr(begin, at_ - begin)});
    });
    finish();
    return members;
  }

 private:
  void finish() {
    skip_blanks();
    if (at_ != text_.size()) fail("Extra data");
  }

  [[noreturn]] void fail(std::string what) const { throw Failure{at_, std::move(what)}; }
  [[noreturn]] static void fail_at(std::size_t offset, std::string what) { throw Failure{offset, std::move(what)}; }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (is_blank(peek())) ++at_;
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  template <class Kind>
  typename Kind::Value read_value() {
    const char c = peek();
    if (c == '"') return read_string<Kind>();
    if (c == '{') return nested<Kind>([this] { return read_object<Kind>(); });
    if (c == '[') return nested<Kind>([this] { return read_array<Kind>(); });
    if (c == '-' ? text_.substr(at_, 2) != "-I" : is_digit(c)) return read_number<Kind>();
    if (take("null")) return nullptr;
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("NaN")) return std::numeric_limits<double>::quiet_NaN();
    if (take("Infinity")) return std::numeric_limits<double>::infinity();
    if (take("-Infinity")) return -std::numeric_limits<double>::infinity();
    return read_number<Kind>();
  }

  template <class Kind, class Read>
  typename Kind::Value nested(Read read) {
    if (++depth_ > k_deepest_python) fail(cat("nested deeper than ", k_deepest_python, " levels"));
    typename Kind::Value value = read();
    --depth_;
    return value;
  }

  /// An object, whose pairs `read_pair` reads.
  template <class ReadPair>
  void read_pairs(ReadPair read_pair) {
    ++at_;
    skip_blanks();
    if (take('}')) return;
    while (true) {
      read_pair();
      skip_blanks();
      if (take('}')) return;
      if (!take(',')) fail("Expecting ',' delimiter");
      skip_blanks();
    }
  }

  template <class Kind>
  typename Kind::Text read_key() {
    if (peek() != '"') fail("Expecting property name enclosed in double quotes");
    typename Kind::Text key = read_string<Kind>();
    skip_blanks();
    if (!take(':')) fail("Expecting ':' delimiter");
    skip_blanks();
    return key;
  }

  template <class Kind>
  typename Kind::Value read_object() {
    typename Kind::Object object;
    read_pairs([this, &object] {
      typename Kind::Text key = read_key<Kind>();
      object.add(std::move(key), read_value<Kind>());
    });
    return object.take();
  }

  template <class Kind>
  typename Kind::Value read_array() {
    ++at_;
    typename Kind::Array array;
    skip_blanks();
    if (take(']')) return array.take();
    while (true) {
      array.add(read_value<Kind>());
      skip_blanks();
      if (take(']')) return array.take();
      if (!take(',')) fail("Expecting ',' delimiter");
      skip_blanks();
    }
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  template <class Kind>
  typename Kind::Value read_number() {
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
    return at_ == integer_end ? Kind::integer(literal) : Kind::real(literal);
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

  template <class Kind>
  typename Kind::Text read_string() {
    const std::size_t begin = at_++;
    typename Kind::Text out;
    while (true) {
      std::size_t plain_end = at_;
      while (plain_end < text_.size() && !ends_plain_run(text_[plain_end])) ++plain_end;
      if (plain_end == text_.size()) fail_at(begin, "Unterminated string starting at");
      out.append(text_.substr(at_, plain_end - at_));
      at_ = plain_end;
      if (take('"')) return out;
      if (peek() != '\\') fail("Invalid control character at");
      read_escape<Kind>(out, begin);
    }
  }

  template <class Kind>
  void read_escape(typename Kind::Text& out, std::size_t string_begin) {
    const std::size_t backslash = at_++;
    if (at_ >= text_.size()) fail_at(string_begin, "Unterminated string starting at");
    const char c = text_[at_++];
    static constexpr std::string_view names = "\"\\/bfnrt";
    static constexpr std::string_view values = "\"\\/\b\f\n\r\t";
    const std::size_t found = names.find(c);
    if (found != std::string_view::npos) {
      out.push_back(values[found]);
    } else if (c == 'u') {
      Kind::append_character(out, read_unicode_escape());
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

/// What `read` makes of a reader of the text, or where and why the text is none.
template <class Read>
auto read_text(std::string_view text, std::string_view source, Read read)
    -> Result<decltype(read(std::declval<Reader&>()))> {
  if (text.substr(0, 3) == "\xef\xbb\xbf") return ParseError{std::string(source), {1, 1}, "Unexpected UTF-8 BOM"};
  if (!is_valid_utf8(text)) return ParseError{std::string(source), {}, "not valid UTF-8"};
  try {
    Reader reader(text);
    return read(reader);
  } catch (const Failure& failure) {
    return ParseError{std::string(source), position_in(text, failure.offset), failure.what};
  }
}

}  // namespace

Result<Json> parse_python_json(std::string_view text, std::string_view source) {
  return read_text(text, source, [](Reader& reader) { return reader.read_document(); });
}

Result<std::optional<std::vector<JsonMember>>> python_json_members(std::string_view text, std::string_view source) {
  return read_text(text, source, [](Reader& reader) { return reader.read_members(); });
}

}  // namespace hearth
