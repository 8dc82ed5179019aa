#include "metadata/model/yaml_scalars.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace hearth::metadata::yaml {

namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0U | (code >> 6U)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3fU)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0U | (code >> 12U)));
    out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3fU)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3fU)));
  } else {
    out.push_back(static_cast<char>(0xf0U | (code >> 18U)));
    out.push_back(static_cast<char>(0x80U | ((code >> 12U) & 0x3fU)));
    out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3fU)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3fU)));
  }
}

/// White space between the words of a flow scalar: blanks of one line, or a break and the empty lines after it.
struct Gap {
  std::string blanks;
  std::string first_break;
  std::string more_breaks;

  /// Lines are folded: one break is a blank, further ones stay.
  [[nodiscard]] std::string folded() const {
    if (first_break.empty()) return blanks;
    if (first_break != "\n") return first_break + more_breaks;
    return more_breaks.empty() ? " " : more_breaks;
  }
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void append_numbered(Cursor& cursor, std::string& out, int digits) {
  std::uint32_t code = 0;
  for (int i = 0; i < digits; ++i) {
    const int digit = hex_digit(cursor.peek());
    if (digit < 0) cursor.fail("expected a hexadecimal digit in this escape of a double-quoted text");
    code = code * 16 + static_cast<std::uint32_t>(digit);
    cursor.skip();
  }
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) cursor.fail("this escape is not a character");
  append_utf8(out, code);
}

void append_escape(Cursor& cursor, std::string& out) {
  struct Simple {
    char letter;
    std::string_view meaning;
  };
  static constexpr Simple k_simple[] = {{'0', std::string_view("\0", 1)},
                                        {'a', "\a"},
                                        {'b', "\b"},
                                        {'t', "\t"},
                                        {'\t', "\t"},
                                        {'n', "\n"},
                                        {'v', "\v"},
                                        {'f', "\f"},
                                        {'r', "\r"},
                                        {'e', "\x1b"},
                                        {' ', " "},
                                        {'"', "\""},
                                        {'/', "/"},
                                        {'\\', "\\"},
                                        {'N', "\xc2\x85"},
                                        {'_', "\xc2\xa0"},
                                        {'L', "\xe2\x80\xa8"},
                                        {'P', "\xe2\x80\xa9"}};
  const char letter = cursor.peek();
  const auto* simple =
      std::find_if(std::begin(k_simple), std::end(k_simple), [letter](const Simple& s) { return s.letter == letter; });
  const int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  if (simple == std::end(k_simple) && digits == 0) cursor.fail("unknown escape in a double-quoted text");
  cursor.skip();
  if (digits == 0) {
    out += simple->meaning;
  } else {
    append_numbered(cursor, out, digits);
  }
}

/// The characters of one line of a quoted text; true when an escaped line break ended it.
bool read_quoted_line(Cursor& cursor, char quote, std::string& out) {
  while (!cursor.is_space()) {
    const char c = cursor.peek();
    if (quote == '\'' && c == '\'' && cursor.peek(1) == '\'') {
      out.push_back('\'');
      cursor.skip(2);
    } else if (c == quote) {
      return false;
    } else if (quote == '"' && c == '\\') {
      cursor.skip();
      if (cursor.is_break()) return true;
      append_escape(cursor, out);
    } else {
      out.push_back(c);
      cursor.skip();
    }
  }
  return false;
}

Gap read_gap(Cursor& cursor, bool escaped_break) {
  Gap gap;
  bool broken = escaped_break;
  if (escaped_break) cursor.take_break();
  while (cursor.is_blank() || cursor.is_break()) {
    if (cursor.is_blank()) {
      if (!broken) gap.blanks.push_back(cursor.peek());
      cursor.skip();
    } else if (!broken) {
      gap.first_break = cursor.take_break();
      broken = true;
    } else {
      gap.more_breaks += cursor.take_break();
    }
  }
  return gap;
}

/// A block scalar's header: "|-2" and the like.
struct Header {
  bool literal = false;
  int chomping = 0;  ///< -1 strip, 1 keep
  int increment = 0;
};

Header read_header(Cursor& cursor) {
  Header header{.literal = cursor.peek() == '|'};
  cursor.skip();
  for (int i = 0; i < 2; ++i) {
    const char c = cursor.peek();
    if (c == '+' || c == '-') {
      if (header.chomping != 0) break;
      header.chomping = c == '+' ? 1 : -1;
    } else if (c >= '0' && c <= '9') {
      if (c == '0') cursor.fail("a block text can't be indented by 0");
      if (header.increment != 0) break;
      header.increment = c - '0';
    } else {
      break;
    }
    cursor.skip();
  }
  while (cursor.is_blank()) cursor.skip();
  if (cursor.peek() == '#') {
    while (!cursor.is_break() && !cursor.is_end()) cursor.skip();
  }
  if (!cursor.is_break() && !cursor.is_end()) cursor.fail("only a comment may follow the head of a block text");
  if (cursor.is_break()) cursor.take_break();
  return header;
}

/// Empty lines before a line of the text. While the indentation is not known (0), it is learned from the first line.
std::string read_empty_lines(Cursor& cursor, int& indent, int least) {
  std::string breaks;
  int widest = 0;
  for (;;) {
    while ((indent == 0 || cursor.column() < indent) && cursor.peek() == ' ') cursor.skip();
    widest = std::max(widest, cursor.column());
    if ((indent == 0 || cursor.column() < indent) && cursor.peek() == '\t') {
      cursor.fail("a tab where the indentation of a block text is expected");
    }
    if (!cursor.is_break()) break;
    breaks += cursor.take_break();
  }
  if (indent == 0) indent = std::max({widest, least, 1});
  return breaks;
}

}  // namespace

Text read_plain(Cursor& cursor, int indent, bool in_flow) {
  Text text;
  Gap gap;
  const int least = indent + 1;
  const Place begin = cursor.place();
  for (;;) {
    if (cursor.at_document_mark() || cursor.peek() == '#') break;
    const std::size_t before = cursor.place().offset;
    while (!cursor.is_space()) {
      const char c = cursor.peek();
      if (in_flow && c == ':' && std::string_view(",?[]{}").find(cursor.peek(1)) != std::string_view::npos &&
          !cursor.is_end(1)) {
        cursor.fail(begin, "found unexpected ':' in a plain text");
      }
      if (c == ':' && cursor.is_space(1)) break;
      if (in_flow && std::string_view(",?[]{}").find(c) != std::string_view::npos) break;
      if (cursor.place().offset == before) {
        text.value += gap.folded();
        text.crossed_line = false;
        gap = {};
      }
      text.value.push_back(c);
      cursor.skip();
    }
    if (!(cursor.is_blank() || cursor.is_break()) || cursor.place().offset == before) break;
    while (cursor.is_blank() || cursor.is_break()) {
      if (cursor.is_blank()) {
        if (text.crossed_line && cursor.column() < least && cursor.peek() == '\t') {
          cursor.fail("a tab where the indentation of a plain text is expected");
        }
        if (!text.crossed_line) gap.blanks.push_back(cursor.peek());
        cursor.skip();
      } else if (!text.crossed_line) {
        gap.first_break = cursor.take_break();
        text.crossed_line = true;
      } else {
        gap.more_breaks += cursor.take_break();
      }
    }
    if (!in_flow && cursor.column() < least) break;
  }
  return text;
}

Text read_quoted(Cursor& cursor) {
  Text text;
  const Place begin = cursor.place();
  const char quote = cursor.peek();
  cursor.skip();
  for (;;) {
    if (cursor.at_document_mark()) cursor.fail(begin, "a document mark inside this quoted text");
    if (cursor.is_end()) cursor.fail(begin, "this quoted text is not closed");
    const bool escaped_break = read_quoted_line(cursor, quote, text.value);
    if (!escaped_break && cursor.peek() == quote) break;
    if (cursor.is_end()) continue;
    const Gap gap = read_gap(cursor, escaped_break);
    text.value += escaped_break ? gap.more_breaks : gap.folded();
  }
  cursor.skip();
  return text;
}

Text read_block(Cursor& cursor, int parent_indent) {
  const Header header = read_header(cursor);
  const int least = parent_indent + 1;
  int indent = header.increment == 0 ? 0 : std::max(parent_indent, 0) + header.increment;
  Text text;
  std::string last_break;
  std::string breaks = read_empty_lines(cursor, indent, least);
  bool was_blank = false;
  while (cursor.column() == indent && !cursor.is_end()) {
    const bool blank = cursor.is_blank();
    if (!header.literal && last_break == "\n" && !was_blank && !blank) {
      if (breaks.empty()) text.value.push_back(' ');
    } else {
      text.value += last_break;
    }
    text.value += breaks;
    was_blank = blank;
    const Place begin = cursor.place();
    while (!cursor.is_break() && !cursor.is_end()) cursor.skip();
    text.value += cursor.since(begin);
    last_break = cursor.is_break() ? cursor.take_break() : "";
    breaks = read_empty_lines(cursor, indent, least);
  }
  if (header.chomping >= 0) text.value += last_break;
  if (header.chomping > 0) text.value += breaks;
  text.crossed_line = true;
  return text;
}

}  // namespace hearth::metadata::yaml
