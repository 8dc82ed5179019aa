#include "agent/heat_config/yaml_writer.hpp"

#include <algorithm>

#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/yaml_scalar.hpp"

namespace hearth::agent {

namespace {

constexpr std::size_t k_width = 80;
constexpr std::size_t k_longest_simple_key = 123;

bool is_in(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

/// What a text holds decides how it can be written.
struct ScalarTraits {
  bool plain = true;   ///< without quotes
  bool single = true;  ///< in single quotes
  bool lines = false;  ///< it has several
};

/// Takes characters off the front of a text.
class Scan {
 public:
  explicit Scan(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  /// As many characters of `set` as there are, up to `most`; whether there were at least `least`.
  bool take(std::string_view set, std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (count < most && count < rest_.size() && is_in(rest_[count], set)) ++count;
    rest_.remove_prefix(count);
    return count >= least;
  }
  bool digits(std::size_t least, std::size_t most) { return take("0123456789", least, most); }
  bool one(std::string_view set) { return take(set, 1, 1); }

 private:
  std::string_view rest_;
};

/// YAML 1.1's timestamps: a date, or a date with time and zone. https://yaml.org/type/timestamp.html
bool looks_like_date(std::string_view text) {
  Scan date(text);
  if (date.digits(4, 4) && date.one("-") && date.digits(2, 2) && date.one("-") && date.digits(2, 2) && date.at_end()) {
    return true;
  }
  Scan scan(text);
  const bool day = scan.digits(4, 4) && scan.one("-") && scan.digits(1, 2) && scan.one("-") && scan.digits(1, 2);
  if (!day || (!scan.one("Tt") && !scan.take(" \t", 1, text.size()))) return false;
  const bool time = scan.digits(1, 2) && scan.one(":") && scan.digits(2, 2) && scan.one(":") && scan.digits(2, 2);
  if (!time) return false;
  if (scan.one(".")) scan.digits(0, text.size());
  scan.take(" \t", 0, text.size());
  if (scan.one("+-")) {
    if (!scan.digits(1, 2)) return false;
    if (scan.one(":") && !scan.digits(2, 2)) return false;
  } else {
    scan.one("Z");
  }
  return scan.at_end();
}

/// 1:30.5, which counts in sixties.
bool looks_like_base_60_float(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || text.find(':') > dot) return false;
  Scan fraction(text.substr(dot + 1));
  fraction.take("0123456789_", 0, text.size());
  return fraction.at_end() && !is_yaml_text(text.substr(0, dot));
}

/// Whether a text without quotes would be read as something else.
bool reads_as_other(const std::string& text) {
  return text.empty() || text == "=" || text == "<<" || !is_yaml_text(text) || looks_like_date(text) ||
         looks_like_base_60_float(text);
}

bool is_indicator(std::string_view text, std::size_t at) {
  const char c = text[at];
  const bool before_space = at + 1 >= text.size() || is_in(text[at + 1], " \t\r\n");
  if (at == 0) return is_in(c, "#,[]{}&*!|>'\"%@`") || (is_in(c, "?:-") && before_space);
  return (c == ':' && before_space) || (c == '#' && is_in(text[at - 1], " \t\r\n"));
}

/// Unicode's own line ends count, too.
bool is_line_break(std::string_view text) {
  return text.front() == '\n' || text.substr(0, 2) == "\xc2\x85" || text.substr(0, 3) == "\xe2\x80\xa8" ||
         text.substr(0, 3) == "\xe2\x80\xa9";
}

ScalarTraits traits_of(const std::string& text) {
  ScalarTraits traits;
  const std::string_view view = text;
  if (text.empty() || view.substr(0, 3) == "---" || view.substr(0, 3) == "...") traits.plain = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = i > 0 ? text[i - 1] : 'x';
    if (is_line_break(view.substr(i))) traits.lines = true;
    const bool special = c != '\n' && (c < ' ' || c > '~');  // a char above ASCII is negative or beyond '~'
    const bool broken_blank = (c == ' ' && before == '\n') || (c == '\n' && before == ' ');
    if (special || broken_blank) traits.single = false;
    if (is_indicator(text, i)) traits.plain = false;
  }
  const bool open_ends = !text.empty() && (is_in(text.front(), " \n") || is_in(text.back(), " \n"));
  traits.plain = traits.plain && traits.single && !traits.lines && !open_ends && !reads_as_other(text);
  return traits;
}

/// Other keys get a line of their own, behind a question mark.
bool is_simple_key(const std::string& key) {
  return !key.empty() && !traits_of(key).lines && characters_in(key) < k_longest_simple_key;
}

class Writer {
 public:
  std::string write(const Json& value) {
    node(value, 0, false);
    if (out_.empty() || out_.back() != '\n') out_ += '\n';
    return out_;
  }

 private:
  /// A value after "key:" or "-" (`inside`), or the whole document.
  void node(const Json& value, std::size_t indent, bool inside) {
    if (value.is_object() && !value.empty()) {
      mapping(value, indent, inside);
    } else if (value.is_array() && !value.empty()) {
      sequence(value, indent, inside);
    } else {
      if (inside) put(" ");
      if (value.is_structured()) {
        put(value.is_object() ? "{}" : "[]");
      } else {
        scalar(value, indent + (inside ? 0 : 2), false);
      }
    }
  }

  void mapping(const Json& object, std::size_t indent, bool begun) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    for (const std::string& key : keys) {
      if (!begun) start_line(indent);
      begun = false;
      const Json& value = object[key];
      if (is_simple_key(key)) {
        text_scalar(key, indent, true);
        put(":");
        node_below(value, value.is_array() ? indent : indent + 2);
      } else {
        put("? ");
        text_scalar(key, indent + 2, false);
        start_line(indent);
        put(":");
        node_beside(value, indent + 2);
      }
    }
  }

  void sequence(const Json& array, std::size_t indent, bool begun) {
    for (const Json& item : array) {
      if (!begun) start_line(indent);
      begun = false;
      put("-");
      node_beside(item, indent + 2);
    }
  }

  /// Collections begin on this line.
  void node_beside(const Json& value, std::size_t indent) {
    if (value.is_structured() && !value.empty()) put(" ");
    node(value, indent, true);
  }

  /// A mapping's value: collections begin on lines of their own.
  void node_below(const Json& value, std::size_t indent) {
    if (value.is_structured() && !value.empty()) {
      value.is_object() ? mapping(value, indent, false) : sequence(value, indent, false);
    } else {
      node(value, indent, true);
    }
  }

  void scalar(const Json& value, std::size_t indent, bool key) {
    if (value.is_string()) {
      text_scalar(value.get_ref<const std::string&>(), indent, key);
    } else {
      std::string text = python_json(value);
      const std::size_t exponent = text.find('e');
      if (value.is_number_float() && exponent != std::string::npos && text.find('.') == std::string::npos) {
        text.insert(exponent, ".0");
      }
      put(text);
    }
  }

  void text_scalar(const std::string& text, std::size_t indent, bool key) {
    const ScalarTraits traits = traits_of(text);
    if (traits.plain) {
      folded(text, indent, key);
    } else if (traits.single && !(key && traits.lines)) {
      single_quoted(text, indent, key);
    } else {
      double_quoted(text, indent, key);
    }
  }

  /// Words; a line that is full ends at a single blank.
  void folded(std::string_view text, std::size_t indent, bool key) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool single_blank = text[i] == ' ' && i > 0 && text[i - 1] != ' ' && text[i + 1] != ' ';
      if (single_blank && column() > k_width && !key) {
        start_line(indent);
      } else {
        out_ += text[i];
      }
    }
  }

  void single_quoted(std::string_view text, std::size_t indent, bool key) {
    put("'");
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const bool inner = i > 0 && i + 1 < text.size();
      const bool single_blank = c == ' ' && inner && text[i - 1] != ' ' && text[i + 1] != ' ';
      if (single_blank && column() > k_width && !key) {
        start_line(indent);
      } else if (c == '\n') {
        if (i == 0 || text[i - 1] != '\n') put("\n");
        put("\n");
        if (i + 1 == text.size() || text[i + 1] != '\n') put(std::string(indent, ' '));
      } else {
        out_ += c;
        if (c == '\'') out_ += c;
      }
    }
    put("'");
  }

  /// A line that is full ends with a backslash: before a blank, behind an escape, or before what follows one.
  void double_quoted(const std::string& text, std::size_t indent, bool key) {
    put("\"");
    bool after_escape = false;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t length = character_length(text, i);
      const bool inner = !key && i > 0 && i + length < text.size();
      const std::string piece = escaped(std::string_view(text).substr(i, length));
      const bool is_escape = piece.size() > 1;
      if (inner && !is_escape && (text[i] == ' ' || after_escape) && column() > k_width) break_line(indent, text[i]);
      put(piece);
      if (inner && is_escape && column() > k_width + 1) break_line(indent, text[i + length]);
      after_escape = is_escape;
      i += length;
    }
    put("\"");
  }

  /// A blank that begins the next line is marked, too.
  void break_line(std::size_t indent, char next) {
    put("\\");
    start_line(indent);
    if (next == ' ') put("\\");
  }

  static std::size_t character_length(const std::string& text, std::size_t at) {
    std::size_t length = 1;
    while (at + length < text.size() && (static_cast<unsigned char>(text[at + length]) & 0xc0U) == 0x80U) ++length;
    return length;
  }

  static std::string escaped(std::string_view character) {
    static constexpr std::string_view plain = "\a\b\t\n\v\f\r\x1b\"\\";
    static constexpr std::string_view names = "abtnvfre\"\\";
    const std::size_t at = character.size() == 1 ? plain.find(character[0]) : std::string_view::npos;
    if (at != std::string_view::npos) return cat('\\', names[at]);
    if (character.size() == 1 && character[0] >= ' ' && character[0] <= '~') return std::string(character);
    switch (const unsigned long code = code_point(character)) {
      case 0: return "\\0";
      case 0x85: return "\\N";
      case 0xa0: return "\\_";
      case 0x2028: return "\\L";
      case 0x2029: return "\\P";
      default: return hexadecimal(code);
    }
  }

  static unsigned long code_point(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (bytes.size() == 1) return first;
    unsigned long code = first & (0x7fU >> bytes.size());
    for (const char c : bytes.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
    return code;
  }

  static std::string hexadecimal(unsigned long code) {
    const int digits = code <= 0xff ? 2 : code <= 0xffff ? 4 : 8;
    std::string text = digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789ABCDEF"[code >> shift & 15U];
    return text;
  }

  void start_line(std::size_t indent) {
    if (!out_.empty()) out_ += '\n';
    out_.append(indent, ' ');
  }
  void put(std::string_view text) { out_.append(text); }
  [[nodiscard]] std::size_t column() const {
    const std::size_t line = out_.rfind('\n');
    return line == std::string::npos ? out_.size() : out_.size() - line - 1;
  }

  std::string out_;
};

}  // namespace

std::string yaml_text(const Json& value) { return Writer().write(value); }

}  // namespace hearth::agent
