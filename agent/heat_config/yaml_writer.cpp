#include "agent/heat_config/yaml_writer.hpp"

#include <algorithm>

#include "agent/apply/yaml_scalar.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::agent {

namespace {

constexpr std::size_t k_width = 80;

bool is_in(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

/// What a text holds decides how it can be written.
struct ScalarTraits {
  bool plain = true;   ///< without quotes
  bool single = true;  ///< in single quotes
  bool lines = false;  ///< it has several
};

bool looks_like_date(std::string_view text) {
  if (text.size() < 8 || text[4] != '-') return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::all_of(text.begin(), text.begin() + 4, is_digit) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_digit(c) || is_in(c, "-:.+TtZz \t"); });
}

/// Whether a text without quotes would be read as something else.
bool reads_as_other(const std::string& text) {
  return text.empty() || text == "=" || text == "<<" || !resolve_plain_scalar(text).is_string() ||
         looks_like_date(text);
}

bool is_indicator(std::string_view text, std::size_t at) {
  const char c = text[at];
  const bool before_space = at + 1 >= text.size() || is_in(text[at + 1], " \t\r\n");
  if (at == 0) return is_in(c, "#,[]{}&*!|>'\"%@`") || (is_in(c, "?:-") && before_space);
  return (c == ':' && before_space) || (c == '#' && is_in(text[at - 1], " \t\r\n"));
}

ScalarTraits traits_of(const std::string& text) {
  ScalarTraits traits;
  const std::string_view view = text;
  if (text.empty() || view.substr(0, 3) == "---" || view.substr(0, 3) == "...") traits.plain = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = i > 0 ? text[i - 1] : 'x';
    if (c == '\n') traits.lines = true;
    const bool special = c != '\n' && (c < ' ' || c > '~');  // a char above ASCII is negative or beyond '~'
    const bool broken_blank = (c == ' ' && before == '\n') || (c == '\n' && before == ' ');
    if (special || broken_blank) traits.single = false;
    if (is_indicator(text, i)) traits.plain = false;
  }
  const bool open_ends = !text.empty() && (is_in(text.front(), " \n") || is_in(text.back(), " \n"));
  traits.plain = traits.plain && traits.single && !traits.lines && !open_ends && !reads_as_other(text);
  return traits;
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
      text_scalar(key, indent, true);
      put(":");
      const Json& value = object[key];
      const bool list = value.is_array();
      node_below(value, list ? indent : indent + 2);
    }
  }

  void sequence(const Json& array, std::size_t indent, bool begun) {
    for (const Json& item : array) {
      if (!begun) start_line(indent);
      begun = false;
      put("-");
      if (item.is_structured() && !item.empty()) put(" ");
      node(item, indent + 2, true);
    }
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

  void double_quoted(const std::string& text, std::size_t indent, bool key) {
    put("\"");
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t length = character_length(text, i);
      const bool inner = i > 0 && i + length < text.size();
      const std::string piece = escaped(std::string_view(text).substr(i, length));
      // A full line ends with a backslash; a blank that begins the next one needs one, too.
      if (inner && text[i] == ' ' && column() > k_width && !key) {
        put("\\");
        start_line(indent);
        put("\\");
        put(" ");
      } else {
        put(piece);
        if (inner && piece.size() > 1 && column() > k_width && !key) {
          put("\\");
          start_line(indent);
          if (text[i + length] == ' ') put("\\");
        }
      }
      i += length;
    }
    put("\"");
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
    return hexadecimal(code_point(character));
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
