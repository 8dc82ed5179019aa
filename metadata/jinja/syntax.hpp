// Jinja templates as trees.
//
// Of Jinja2's language: {{ }} with all operators, filters, tests, calls, slices; for (if, else, unpacking), if, set
// (also as a block, of namespaces), with, include, block (where it stands, and as self.NAME()), raw, comments. Not:
// macro, call, import, extends, filter blocks, recursive loops, a < b < c; those are errors
// that say so. Tuples are lists, and print as such.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metadata/jinja/lexer.hpp"
#include "metadata/jinja/object.hpp"

namespace hearth::metadata::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum class Type {
    constant,
    name,
    list,
    dict,       ///< key, value, key, value …
    attribute,  ///< items[0] . text
    subscript,  ///< items[0] [ items[1] ]
    slice,      ///< items[0] [ items[1] : items[2] : items[3] ], each of which may be null
    call,       ///< items[0] ( the rest )
    filter,     ///< items[0] | text ( the rest )
    test,       ///< items[0] is text ( the rest )
    negate,     ///< not
    minus,
    plus,
    binary,      ///< items[0] text items[1]; "and", "or", "in", "not in" among them
    conditional  ///< items[0] if items[1] else items[2], which may be null
  };
  Type type = Type::constant;
  std::uint32_t line = 1;
  std::string text{};
  Object constant{};
  std::vector<ExpressionPtr> items{};
  std::vector<std::string> names{};  ///< of keyword arguments, which come last
};

/// A name, names to unpack to, or a namespace's member.
struct Target {
  std::vector<std::string> names;
  std::string member{};
  bool unpacks = false;
};

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
  enum class Type { text, output, loop, branch, set, set_block, with, include, block };
  Type type = Type::text;
  std::uint32_t line = 1;
  std::string text{};
  std::vector<Target> targets{};
  std::vector<ExpressionPtr> expressions{};  ///< loop: what, filter or null; branch: one for each body but the last
  std::vector<Statements> bodies{};
  bool ignore_missing = false;
  bool with_context = true;
};

/// A template, parsed. `file` is its number in Sources.
struct Syntax {
  std::uint32_t file = 0;
  Statements statements;
};

/// Throws Fault.
[[nodiscard]] Syntax parse_template(std::string_view text, std::uint32_t file);

/// Reads expressions off the words of one piece.
class ExpressionParser {
 public:
  ExpressionParser(const std::vector<Word>& words, std::uint32_t file, std::uint32_t line)
      : words_(words), file_(file), line_(line) {}

  /// With `conditional` false, `a if b` stops before the if, as the filter of a loop needs it.
  [[nodiscard]] ExpressionPtr expression(bool conditional = true);
  /// Items with commas between are one list.
  [[nodiscard]] ExpressionPtr tuple(bool conditional = true);
  [[nodiscard]] Target target();
  [[nodiscard]] const Word& peek() const { return words_[at_]; }
  [[nodiscard]] bool at_end() const { return peek().type == Word::Type::end; }
  /// Takes the word if it is this name or symbol.
  bool take(std::string_view text);
  void expect(std::string_view text);
  [[nodiscard]] std::string name();
  [[noreturn]] void fail(const std::string& why) const;

 private:
  [[nodiscard]] ExpressionPtr make(Expression::Type type, std::string text = {}) const;
  [[nodiscard]] ExpressionPtr binary(std::string text, ExpressionPtr left, ExpressionPtr right);
  void count_link();
  [[nodiscard]] ExpressionPtr disjunction();
  [[nodiscard]] ExpressionPtr conjunction();
  [[nodiscard]] ExpressionPtr negation();
  [[nodiscard]] ExpressionPtr comparison();
  [[nodiscard]] ExpressionPtr sum();
  [[nodiscard]] ExpressionPtr concatenation();
  [[nodiscard]] ExpressionPtr product();
  [[nodiscard]] ExpressionPtr power();
  [[nodiscard]] ExpressionPtr unary(bool with_filters = true);
  [[nodiscard]] ExpressionPtr primary();
  [[nodiscard]] ExpressionPtr list(std::string_view close);
  [[nodiscard]] ExpressionPtr dict();
  [[nodiscard]] ExpressionPtr postfix(ExpressionPtr of);
  [[nodiscard]] ExpressionPtr subscript(ExpressionPtr of);
  [[nodiscard]] ExpressionPtr filters(ExpressionPtr of);
  [[nodiscard]] ExpressionPtr test(ExpressionPtr of);
  void arguments(Expression& call);
  [[nodiscard]] bool is_symbol(std::string_view text) const {
    return peek().type == Word::Type::symbol && peek().text == text;
  }
  [[nodiscard]] bool is_name(std::string_view text) const {
    return peek().type == Word::Type::name && peek().text == text;
  }

  const std::vector<Word>& words_;
  std::uint32_t file_, line_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int links_ = 0;
};

}  // namespace hearth::metadata::jinja
