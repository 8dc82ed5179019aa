// The function yaql: its arguments, and what of the template it sees ($.data only).
#include "metadata/language/arguments.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata {

namespace {

void check_yaql(const Expression& call) {
  const Expression& arguments = call.arguments();
  if (!is_map_expression(arguments)) throw type_fault("Arguments to \"yaql\" must be a map.");
  bool good = member(arguments, "expression") != nullptr;
  for (const Entry& entry : written(call).entries()) {
    const std::string key = python_str(entry.key);
    good = good && (key == "expression" || key == "data");
  }
  if (!good) {
    throw with_near_key(
        key_fault("'\"yaql\" syntax should be yaql:\\n              expression: $.data.var1.sum()\\n              "
                  "data:\\n                var1: [3, 2, 1]'"),
        call, {"expression", "data"});
  }
}

yaql::SyntaxPtr parsed(const Value& expression) {
  if (!expression.is_string())
    throw type_fault("The \"expression\" argument to yaql must contain a string.", expression.mark());
  const Result<yaql::SyntaxPtr> syntax = yaql::parse(expression.text());
  if (!syntax) throw value_fault(cat("Bad expression ", syntax.error().what, "."), expression.mark());
  return *syntax;
}

void validate_yaql(const Expression& call, Scope&) {
  const ExpressionPtr expression = member(call.arguments(), "expression");
  if (!is_dynamic(*expression)) (void)parsed(expression->constant);
}

/// For an expression that failed: a thousand of those are too many, too.
void charge(const yaql::Evaluator& evaluator, Scope& scope) {
  try {
    scope.spend(evaluator.spent());
  } catch (const Fault&) {  // the first one says what is wrong here
  }
}

Value run_yaql(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  const yaql::SyntaxPtr syntax = parsed(*arguments.find("expression"));
  const Value* data = arguments.find("data");
  yaql::Variables variables;
  variables.set("$", yaql::Item(map_of({{"data", data == nullptr ? Value::map({}) : *data}})));
  yaql::Evaluator evaluator(scope.yaql_limit(), [&scope] { scope.breathe(); });
  try {
    const yaql::Item result = evaluator.evaluate(*syntax, variables);
    if (result.is_collection() && !result.sequence) (void)evaluator.items(result);
    Value value = evaluator.result(result);
    scope.spend(evaluator.spent());
    return value;
  } catch (const Fault& fault) {
    charge(evaluator, scope);
    throw fault.at(arguments.find("expression")->mark());
  }
}

}  // namespace

const std::vector<Function>& yaql_functions() {
  using enum Function::Waits;
  static const std::vector<Function> table = {
      {"yaql", Version::v2016_10_14, Version::hot_end, strictly, check_yaql, validate_yaql, run_yaql},
  };
  return table;
}

}  // namespace hearth::metadata
