#include <array>
#include <charconv>

#include "base/text.hpp"
#include "metadata/jinja/syntax.hpp"

namespace hearth::metadata::jinja {

namespace {
constexpr int k_deepest = 200;
constexpr int k_most_links = 1000;  ///< of chains (a + b + c, a.b.c, a|b|c), whose trees are as deep as they are long
}  // namespace

void ExpressionParser::fail(const std::string& why) const { throw template_fault(why, file_, line_); }

bool ExpressionParser::take(std::string_view text) {
  if (!is_symbol(text) && !is_name(text)) return false;
  ++at_;
  return true;
}

void ExpressionParser::expect(std::string_view text) {
  if (take(text)) return;
  fail(at_end() ? cat("'", text, "' is missing at the end") : cat("expected '", text, "', got '", peek().text, "'"));
}

std::string ExpressionParser::name() {
  if (peek().type != Word::Type::name) fail(cat("expected a name, got '", peek().text, "'"));
  return words_[at_++].text;
}

ExpressionPtr ExpressionParser::make(Expression::Type type, std::string text) const {
  auto made = std::make_unique<Expression>();
  made->type = type;
  made->text = std::move(text);
  made->line = line_;
  return made;
}

void ExpressionParser::count_link() {
  if (++links_ > k_most_links) fail(cat("more than ", k_most_links, " operators in one expression"));
}

ExpressionPtr ExpressionParser::binary(std::string text, ExpressionPtr left, ExpressionPtr right) {
  count_link();
  ExpressionPtr made = make(Expression::Type::binary, std::move(text));
  made->items.push_back(std::move(left));
  made->items.push_back(std::move(right));
  return made;
}

Target ExpressionParser::target() {
  Target made;
  const bool bracketed = take("(");
  made.names.push_back(name());
  if (!bracketed && take(".")) {
    made.member = name();
    return made;
  }
  while (take(",")) {
    made.unpacks = true;
    if (peek().type != Word::Type::name) break;
    made.names.push_back(name());
  }
  if (bracketed) expect(")");
  return made;
}

ExpressionPtr ExpressionParser::tuple(bool conditional) {
  ExpressionPtr first = expression(conditional);
  if (!is_symbol(",")) return first;
  ExpressionPtr made = make(Expression::Type::list);
  made->items.push_back(std::move(first));
  while (take(",")) {
    if (at_end()) break;
    made->items.push_back(expression(conditional));
  }
  return made;
}

ExpressionPtr ExpressionParser::expression(bool conditional) {
  if (++depth_ > k_deepest) fail("this is nested too deeply");
  ExpressionPtr made = disjunction();
  while (conditional && take("if")) {
    count_link();
    ExpressionPtr choice = make(Expression::Type::conditional);
    choice->items.push_back(std::move(made));
    choice->items.push_back(disjunction());
    choice->items.push_back(take("else") ? expression() : nullptr);
    made = std::move(choice);
  }
  --depth_;
  return made;
}

ExpressionPtr ExpressionParser::disjunction() {
  ExpressionPtr left = conjunction();
  while (take("or")) left = binary("or", std::move(left), conjunction());
  return left;
}

ExpressionPtr ExpressionParser::conjunction() {
  ExpressionPtr left = negation();
  while (take("and")) left = binary("and", std::move(left), negation());
  return left;
}

ExpressionPtr ExpressionParser::negation() {
  if (!is_name("not")) return comparison();
  if (++depth_ > k_deepest) fail("this is nested too deeply");
  ++at_;
  ExpressionPtr made = make(Expression::Type::negate);
  made->items.push_back(negation());
  --depth_;
  return made;
}

/// a < b < c is a < b and b < c in Python; nothing here needs the second, so it is refused.
ExpressionPtr ExpressionParser::comparison() {
  ExpressionPtr left = sum();
  static constexpr std::array<std::string_view, 6> k_signs{"==", "!=", "<=", ">=", "<", ">"};
  bool compared = false;
  const auto next = [&]() -> std::string {
    for (const std::string_view sign : k_signs) {
      if (take(sign)) return std::string(sign);
    }
    if (take("in")) return "in";
    if (is_name("not") && words_[at_ + 1].type == Word::Type::name && words_[at_ + 1].text == "in") {
      at_ += 2;
      return "not in";
    }
    return "";
  };
  for (std::string sign = next(); !sign.empty(); sign = next()) {
    if (compared) fail("comparisons in a chain are not supported: write a < b and b < c");
    compared = true;
    left = binary(sign, std::move(left), sum());
  }
  return left;
}

ExpressionPtr ExpressionParser::sum() {
  ExpressionPtr left = concatenation();
  while (is_symbol("+") || is_symbol("-")) {
    const std::string sign = words_[at_++].text;
    left = binary(sign, std::move(left), concatenation());
  }
  return left;
}

ExpressionPtr ExpressionParser::concatenation() {
  ExpressionPtr left = product();
  while (take("~")) left = binary("~", std::move(left), product());
  return left;
}

ExpressionPtr ExpressionParser::product() {
  ExpressionPtr left = power();
  while (is_symbol("*") || is_symbol("/") || is_symbol("//") || is_symbol("%")) {
    const std::string sign = words_[at_++].text;
    left = binary(sign, std::move(left), power());
  }
  return left;
}

ExpressionPtr ExpressionParser::power() {
  ExpressionPtr left = unary();
  while (take("**")) left = binary("**", std::move(left), unary());
  return left;
}

ExpressionPtr ExpressionParser::unary(bool with_filters) {
  if (++depth_ > k_deepest) fail("this is nested too deeply");
  ExpressionPtr made;
  if (is_symbol("-") || is_symbol("+")) {
    made = make(is_symbol("-") ? Expression::Type::minus : Expression::Type::plus);
    ++at_;
    made->items.push_back(unary(false));
  } else {
    made = primary();
  }
  made = postfix(std::move(made));
  if (with_filters) made = filters(std::move(made));
  --depth_;
  return made;
}

ExpressionPtr ExpressionParser::primary() {
  const Word word = peek();
  if (word.type == Word::Type::end) fail("something is missing at the end");
  ++at_;
  ExpressionPtr made = make(Expression::Type::constant);
  switch (word.type) {
    case Word::Type::name:
      if (word.text == "true" || word.text == "True" || word.text == "false" || word.text == "False") {
        made->constant = word.text[0] == 't' || word.text[0] == 'T';
      } else if (word.text != "none" && word.text != "None") {
        made->type = Expression::Type::name;
        made->text = word.text;
      }
      return made;
    case Word::Type::string: {
      std::string text = word.text;
      while (peek().type == Word::Type::string) text += words_[at_++].text;
      made->constant = Object(std::move(text));
      return made;
    }
    case Word::Type::integer: {
      std::int64_t number = 0;
      const auto read = std::from_chars(word.text.data(), word.text.data() + word.text.size(), number);
      if (read.ec != std::errc()) fail(cat(word.text, " is too large"));
      made->constant = number;
      return made;
    }
    case Word::Type::real: {
      double number = 0;
      std::from_chars(word.text.data(), word.text.data() + word.text.size(), number);
      made->constant = number;
      return made;
    }
    default: break;
  }
  if (word.text == "[") return list("]");
  if (word.text == "{") return dict();
  if (word.text != "(") fail(cat("unexpected '", word.text, "'"));
  if (take(")")) return make(Expression::Type::list);
  made = tuple();
  expect(")");
  return made;
}

ExpressionPtr ExpressionParser::list(std::string_view close) {
  ExpressionPtr made = make(Expression::Type::list);
  while (!take(close)) {
    made->items.push_back(expression());
    if (take(close)) break;
    expect(",");
  }
  return made;
}

ExpressionPtr ExpressionParser::dict() {
  ExpressionPtr made = make(Expression::Type::dict);
  while (!take("}")) {
    made->items.push_back(expression());
    expect(":");
    made->items.push_back(expression());
    if (take("}")) break;
    expect(",");
  }
  return made;
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr of) {
  for (;; count_link()) {
    if (take(".")) {
      const bool index = peek().type == Word::Type::integer;
      if (!index && peek().type != Word::Type::name) fail("a name belongs behind the dot");
      ExpressionPtr made = make(index ? Expression::Type::subscript : Expression::Type::attribute, peek().text);
      made->items.push_back(std::move(of));
      if (index) {
        made->items.push_back(primary());
      } else {
        ++at_;
      }
      of = std::move(made);
    } else if (take("[")) {
      of = subscript(std::move(of));
    } else if (take("(")) {
      ExpressionPtr made = make(Expression::Type::call);
      made->items.push_back(std::move(of));
      arguments(*made);
      of = std::move(made);
    } else {
      return of;
    }
  }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr of) {
  std::vector<ExpressionPtr> parts;
  parts.push_back(is_symbol(":") ? nullptr : expression());
  while (take(":")) parts.push_back(is_symbol(":") || is_symbol("]") ? nullptr : expression());
  expect("]");
  if (parts.size() > 3) fail("a slice has three parts at most");
  ExpressionPtr made = make(parts.size() == 1 ? Expression::Type::subscript : Expression::Type::slice);
  made->items.push_back(std::move(of));
  for (ExpressionPtr& part : parts) made->items.push_back(std::move(part));
  return made;
}

ExpressionPtr ExpressionParser::filters(ExpressionPtr of) {
  for (;; count_link()) {
    if (take("|")) {
      ExpressionPtr made = make(Expression::Type::filter, name());
      made->items.push_back(std::move(of));
      if (take("(")) arguments(*made);
      of = std::move(made);
    } else if (take("is")) {
      of = test(std::move(of));
    } else if (take("(")) {
      fail("only names can be called");
    } else {
      return of;
    }
  }
}

ExpressionPtr ExpressionParser::test(ExpressionPtr of) {
  const bool negated = take("not");
  ExpressionPtr made = make(Expression::Type::test, name());
  made->items.push_back(std::move(of));
  const bool stops = is_name("else") || is_name("or") || is_name("and") || is_name("if") || is_name("is") ||
                     is_name("in") || is_name("not");
  const bool argument = peek().type == Word::Type::name || peek().type == Word::Type::string ||
                        peek().type == Word::Type::integer || peek().type == Word::Type::real || is_symbol("[") ||
                        is_symbol("{");
  if (take("(")) {
    arguments(*made);
  } else if (argument && !stops) {
    made->items.push_back(postfix(primary()));
  }
  if (!negated) return made;
  ExpressionPtr no = make(Expression::Type::negate);
  no->items.push_back(std::move(made));
  return no;
}

void ExpressionParser::arguments(Expression& call) {
  while (!take(")")) {
    const bool keyword =
        peek().type == Word::Type::name && words_[at_ + 1].type == Word::Type::symbol && words_[at_ + 1].text == "=";
    if (keyword) {
      call.names.push_back(peek().text);
      at_ += 2;
    } else if (!call.names.empty()) {
      fail("a positional argument stands behind a keyword argument");
    }
    call.items.push_back(expression());
    if (take(")")) break;
    expect(",");
  }
}

}  // namespace hearth::metadata::jinja
