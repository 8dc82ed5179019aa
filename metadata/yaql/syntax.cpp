#include "metadata/yaql/syntax.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::metadata::yaql {

namespace {

struct Stop {
  std::size_t offset;
  std::string what;
};

struct Token {
  enum class Type { end, number, text, word, function, variable, symbol };
  Type type = Type::end;
  std::string text{};
  Value value{};
  std::size_t offset = 0;
};

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(next());
    } while (tokens.back().type != Token::Type::end);
    return tokens;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token next() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    Token token{.offset = at_};
    if (at_ >= text_.size()) return token;
    const char c = peek();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number(token);
    if (c == '\'' || c == '"' || c == '`') return text(token, c);
    if (c == '$') return variable(token);
    if (starts_word(c)) return word(token);
    return symbol(token);
  }

  Token number(Token token) {
    std::size_t end = at_;
    const auto digits = [&] {
      while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) ++end;
    };
    digits();
    bool real = false;
    if (end + 1 < text_.size() && text_[end] == '.' && std::isdigit(static_cast<unsigned char>(text_[end + 1])) != 0) {
      real = true;
      ++end;
      digits();
    }
    const std::string text(text_.substr(at_, end - at_));
    token.type = Token::Type::number;
    token.value = real ? Value::real(std::strtod(text.c_str(), nullptr)) : Value::big_integer(text);
    at_ = end;
    return token;
  }

  Token text(Token token, char quote) {
    std::string out;
    for (++at_; peek() != quote; ++at_) {
      if (at_ >= text_.size()) throw Stop{token.offset, "this text is not closed"};
      if (peek() != '\\') {
        out.push_back(peek());
        continue;
      }
      ++at_;
      append_escape(out, quote);
    }
    ++at_;
    token.type = Token::Type::text;
    token.value = Value::string(out);
    return token;
  }

  void append_escape(std::string& out, char quote) {
    static constexpr std::string_view k_letters = "nrtabfv\\'\"";
    static constexpr std::string_view k_meanings = "\n\r\t\a\b\f\v\\'\"";
    const std::size_t found = k_letters.find(peek());
    if (quote == '`') {
      if (peek() != '`') out.push_back('\\');
      out.push_back(peek());
    } else if (found != std::string_view::npos && at_ < text_.size()) {
      out.push_back(k_meanings[found]);
    } else if (!append_code(out)) {
      out.push_back('\\');
      out.push_back(peek());
    }
  }

  /// A character by its code: octal, or hexadecimal of so many digits behind x, u and U.
  bool append_code(std::string& out) {
    const char kind = peek();
    const std::size_t length = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    std::size_t begin = at_ + (length > 0 ? 1 : 0);
    std::size_t end = begin;
    const std::string_view digits = length > 0 ? "0123456789abcdefABCDEF" : "01234567";
    while (end < text_.size() && end - begin < (length > 0 ? length : 3) &&
           digits.find(text_[end]) != std::string::npos)
      ++end;
    if (end == begin || (length > 0 && end - begin < length)) return false;
    append_utf8(out, static_cast<char32_t>(
                         std::stoul(std::string(text_.substr(begin, end - begin)), nullptr, length > 0 ? 16 : 8)));
    at_ = end - 1;
    return true;
  }

  Token variable(Token token) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && in_word(text_[end])) ++end;
    token.type = Token::Type::variable;
    token.text = text_.substr(at_, end - at_);
    at_ = end;
    return token;
  }

  Token word(Token token) {
    std::size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    token.text = text_.substr(at_, end - at_);
    token.type = end < text_.size() && text_[end] == '(' ? Token::Type::function : Token::Type::word;
    at_ = end + (token.type == Token::Type::function ? 1 : 0);
    return token;
  }

  Token symbol(Token token) {
    static constexpr std::array<std::string_view, 26> k_symbols{"?.", "=~", "!~", ">=", "<=", "!=", "=>", "->", ".",
                                                                "[",  "]",  "{",  "}",  "(",  ")",  ",",  "+",  "-",
                                                                "*",  "/",  ">",  "<",  "=",  "",   "",   ""};
    token.type = Token::Type::symbol;
    for (const std::string_view symbol : k_symbols) {
      if (symbol.empty() || text_.substr(at_, symbol.size()) != symbol) continue;
      token.text = symbol;
      at_ += symbol.size();
      return token;
    }
    throw Stop{at_, cat("illegal character '", text_.substr(at_, 1), "'")};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Binary operators by how tightly they bind.
int binding(const Token& token) {
  static const std::vector<std::vector<std::string_view>> levels = {
      {"->"},      {"or"}, {"and"}, {}, {">", "<", ">=", "<=", "!=", "=", "in"}, {"+", "-"}, {"*", "/", "mod"},
      {"=~", "!~"}};
  if (token.type != Token::Type::symbol && token.type != Token::Type::word) return -1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (std::find(levels[i].begin(), levels[i].end(), token.text) != levels[i].end()) return static_cast<int>(i);
  }
  return -1;
}

constexpr int k_not = 3;
constexpr int k_unary = 8;
constexpr int k_syntax_deepest = 100;
constexpr int k_most_links = 1000;  ///< of chains (a + b + c, a.b.c), whose trees are as deep as they are long

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  SyntaxPtr whole() {
    SyntaxPtr result = expression(0);
    if (peek().type != Token::Type::end) unexpected();
    return result;
  }

 private:
  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
  [[nodiscard]] bool is(std::string_view symbol) const {
    return peek().type == Token::Type::symbol && peek().text == symbol;
  }
  bool take(std::string_view symbol) {
    if (!is(symbol)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view symbol) {
    if (!take(symbol)) unexpected();
  }
  [[noreturn]] void unexpected() const {
    if (peek().type == Token::Type::end) throw Stop{peek().offset, "Parse error: unexpected end of statement"};
    const std::string shown = peek().text.empty() ? std::string("value") : peek().text;
    throw Stop{peek().offset, cat("Parse error: unexpected '", shown, "' at position ", peek().offset)};
  }
  static SyntaxPtr make(Syntax::Type type, std::string name, std::vector<SyntaxPtr> parts) {
    auto syntax = std::make_shared<Syntax>();
    syntax->type = type;
    syntax->name = std::move(name);
    syntax->parts = std::move(parts);
    return syntax;
  }

  SyntaxPtr expression(int least) {
    if (++depth_ > k_syntax_deepest) throw Stop{peek().offset, "nested too deeply"};
    SyntaxPtr left = prefixed(least);
    for (int level = binding(peek()); level >= least; level = binding(peek())) {
      const std::string name = peek().text;
      count_link();
      ++at_;
      left = make(Syntax::Type::binary, name, {left, expression(name == "->" ? level : level + 1)});
    }
    --depth_;
    return left;
  }

  void count_link() {
    if (++links_ > k_most_links)
      throw Stop{peek().offset, cat("more than ", k_most_links, " operators in one expression")};
  }

  SyntaxPtr prefixed(int least) {
    if (peek().type == Token::Type::word && peek().text == "not") {
      ++at_;
      return make(Syntax::Type::unary, "not", {expression(std::max(least, k_not + 1))});
    }
    if (is("-") || is("+")) {
      const std::string name = peek().text;
      ++at_;
      return make(Syntax::Type::unary, name, {expression(k_unary)});
    }
    return postfixed(primary());
  }

  SyntaxPtr postfixed(SyntaxPtr value) {
    for (;; count_link()) {
      if (is(".") || is("?.")) {
        const std::string name = peek().text;
        ++at_;
        value = make(Syntax::Type::binary, name, {value, primary()});
      } else if (take("[")) {
        std::vector<SyntaxPtr> parts = arguments("]");
        parts.insert(parts.begin(), value);
        value = make(Syntax::Type::index, "", std::move(parts));
      } else {
        return value;
      }
    }
  }

  SyntaxPtr primary() {
    const Token token = peek();
    ++at_;
    switch (token.type) {
      case Token::Type::number:
      case Token::Type::text: return constant(token.value);
      case Token::Type::variable: return make(Syntax::Type::variable, token.text, {});
      case Token::Type::function: return make(Syntax::Type::call, token.text, arguments(")"));
      case Token::Type::word: return word(token);
      case Token::Type::symbol:
        if (token.text == "(") {
          SyntaxPtr inner = expression(0);
          expect(")");
          return inner;
        }
        if (token.text == "[") return make(Syntax::Type::list, "", arguments("]"));
        if (token.text == "{") return make(Syntax::Type::map, "", arguments("}"));
        break;
      case Token::Type::end: break;
    }
    --at_;
    unexpected();
  }

  SyntaxPtr word(const Token& token) {
    if (token.text == "true" || token.text == "false") return constant(Value::boolean(token.text == "true"));
    if (token.text == "null") return constant(Value());
    if (token.text == "and" || token.text == "or" || token.text == "in" || token.text == "mod") {
      --at_;
      unexpected();
    }
    return make(Syntax::Type::keyword, token.text, {});
  }

  static SyntaxPtr constant(const Value& value) {
    auto syntax = std::make_shared<Syntax>();
    syntax->constant = value;
    return syntax;
  }

  std::vector<SyntaxPtr> arguments(std::string_view end) {
    std::vector<SyntaxPtr> parts;
    while (!take(end)) {
      if (!parts.empty()) expect(",");
      if (is(",")) {
        parts.push_back(make(Syntax::Type::nothing, "", {}));
        continue;
      }
      SyntaxPtr part = expression(0);
      if (take("=>")) part = make(Syntax::Type::rule, "", {part, expression(0)});
      parts.push_back(part);
    }
    return parts;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int links_ = 0;
};

}  // namespace

Result<SyntaxPtr> parse(std::string_view expression) {
  try {
    return Parser(Lexer(expression).all()).whole();
  } catch (const Stop& stop) {
    return ParseError{"", {1, static_cast<int>(stop.offset) + 1}, stop.what};
  }
}

}  // namespace hearth::metadata::yaql
