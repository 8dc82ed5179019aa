#include "metadata/jinja/lexer.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"

namespace hearth::metadata::jinja {

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

void append_code_point(std::string& out, unsigned long code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0 | (code >> 6)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xe0 | ((code >> 12) & 0xf)));
    out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3f)));
  }
}

class Splitter {
 public:
  Splitter(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  std::vector<Piece> run() {
    while (at_ < text_.size()) {
      const std::size_t open = next_open();
      add_text(text_.substr(at_, open - at_), open + 2 < text_.size() && text_[open + 2] == '-');
      if (open == text_.size()) break;
      at_ = open + 2;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      inside(text_[open + 1]);
    }
    return std::move(pieces_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw template_fault(why, file_, line_); }

  [[nodiscard]] std::size_t next_open() const {
    for (std::size_t i = at_; i + 1 < text_.size(); ++i) {
      if (text_[i] == '{' && (text_[i + 1] == '{' || text_[i + 1] == '%' || text_[i + 1] == '#')) return i;
    }
    return text_.size();
  }

  void add_text(std::string_view text, bool strip_right) {
    const std::uint32_t begun = line_;
    line_ += static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    if (strip_left_) {
      while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    }
    strip_left_ = false;
    if (strip_right) {
      while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    }
    if (!text.empty()) pieces_.push_back({.text = std::string(text), .line = begun});
  }

  void inside(char kind) {
    if (kind == '#') return comment();
    Piece piece{.type = kind == '{' ? Piece::Type::output : Piece::Type::statement, .line = line_};
    words(piece, kind == '{' ? "}}" : "%}");
    const bool raw = kind == '%' && piece.words.size() == 2 && piece.words[0].text == "raw";
    if (raw) return raw_text();
    pieces_.push_back(std::move(piece));
  }

  void comment() {
    const std::size_t close = text_.find("#}", at_);
    if (close == std::string_view::npos) fail("a comment is not closed: no #}");
    strip_left_ = close > at_ && text_[close - 1] == '-';
    line_ += static_cast<std::uint32_t>(
        std::count(text_.begin() + static_cast<long>(at_), text_.begin() + static_cast<long>(close), '\n'));
    at_ = close + 2;
  }

  /// Up to {% endraw %}, whatever stands there.
  void raw_text() {
    for (std::size_t open = text_.find("{%", at_); open != std::string_view::npos; open = text_.find("{%", open + 2)) {
      std::size_t i = open + 2;
      const bool strip = i < text_.size() && text_[i] == '-';
      if (strip || (i < text_.size() && text_[i] == '+')) ++i;
      while (i < text_.size() && blank(text_[i])) ++i;
      if (text_.substr(i, 6) != "endraw") continue;
      i += 6;
      while (i < text_.size() && blank(text_[i])) ++i;
      const bool strip_after = i < text_.size() && text_[i] == '-';
      if (strip_after) ++i;
      if (text_.substr(i, 2) != "%}") continue;
      add_text(text_.substr(at_, open - at_), strip);
      strip_left_ = strip_after;
      at_ = i + 2;
      return;
    }
    fail("a raw block is not closed: no endraw");
  }

  void words(Piece& piece, std::string_view close) {
    std::string brackets;
    while (true) {
      while (at_ < text_.size() && blank(text_[at_])) {
        if (text_[at_] == '\n') ++line_;
        ++at_;
      }
      if (at_ >= text_.size()) fail(cat("this is not closed: no ", close));
      if (brackets.empty() && (text_[at_] == '-' || text_[at_] == '+') && text_.substr(at_ + 1, 2) == close) {
        strip_left_ = text_[at_] == '-';
        ++at_;
      }
      if (brackets.empty() && text_.substr(at_, 2) == close) break;
      piece.words.push_back(word());
      const Word& last = piece.words.back();
      if (last.type == Word::Type::symbol) bracket(brackets, last.text[0]);
    }
    at_ += 2;
    piece.words.push_back({});
  }

  void bracket(std::string& open, char c) const {
    if (c == '(' || c == '[' || c == '{') open.push_back(c);
    if (c != ')' && c != ']' && c != '}') return;
    const char match = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (open.empty() || open.back() != match) fail(cat("unexpected '", c, "'"));
    open.pop_back();
  }

  Word word() {
    const char c = text_[at_];
    if (letter(c)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && (letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      return {Word::Type::name, std::string(text_.substr(begin, at_ - begin))};
    }
    if (is_digit(c)) return number();
    if (c == '"' || c == '\'') return {Word::Type::string, string_text(c)};
    static constexpr std::array<std::string_view, 7> k_pairs{"==", "!=", "<=", ">=", "//", "**", "::"};
    for (const std::string_view pair : k_pairs) {
      if (text_.substr(at_, 2) == pair && pair != "::") {
        at_ += 2;
        return {Word::Type::symbol, std::string(pair)};
      }
    }
    if (std::string_view("+-*/%~<>=.,:|()[]{}").find(c) == std::string_view::npos)
      fail(cat("unexpected char '", c, "'"));
    ++at_;
    return {Word::Type::symbol, std::string(1, c)};
  }

  Word number() {
    const std::size_t begin = at_;
    bool real = false;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '_')) ++at_;
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      real = true;
      ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    const std::size_t exponent = text_.find_first_not_of("+-", std::min(at_ + 1, text_.size()));
    const bool scaled = at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E') && exponent <= at_ + 2 &&
                        exponent < text_.size() && is_digit(text_[exponent]);
    if (scaled) {
      real = true;
      at_ = exponent;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    return {real ? Word::Type::real : Word::Type::integer,
            replace_all(std::string(text_.substr(begin, at_ - begin)), "_", "")};
  }

  std::string string_text(char quote) {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote) {
        ++at_;
        return out;
      }
      if (c == '\n') ++line_;
      if (c == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        escape(out);
      } else {
        out.push_back(c);
      }
    }
    fail("a string is not closed");
  }

  void escape(std::string& out) {
    const char c = text_[at_];
    static constexpr std::string_view k_names = "ntrabfv\\'\"";
    static constexpr std::string_view k_values = "\n\t\r\a\b\f\v\\'\"";
    if (const std::size_t place = k_names.find(c); place != std::string_view::npos) {
      out.push_back(k_values[place]);
      return;
    }
    if (c == '\n') return;
    const std::size_t length = c == 'x' ? 2 : c == 'u' ? 4 : 0;
    const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), length);
    const bool hex = length > 0 && digits.size() == length && std::all_of(digits.begin(), digits.end(), [](char d) {
                       return std::isxdigit(static_cast<unsigned char>(d)) != 0;
                     });
    if (!hex) {
      out.push_back('\\');
      out.push_back(c);
      return;
    }
    append_code_point(out, std::stoul(std::string(digits), nullptr, 16));
    at_ += length;
  }

  std::string_view text_;
  std::uint32_t file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool strip_left_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> split_template(std::string_view text, std::uint32_t file) {
  std::string normal = replace_all(std::string(text), "\r\n", "\n");
  if (!normal.empty() && normal.back() == '\n') normal.pop_back();
  return Splitter(normal, file).run();
}

}  // namespace hearth::metadata::jinja
