// equals, not, and, or, and their CloudFormation twins: the functions of the conditions section.
#include "metadata/language/arguments.hpp"
#include "metadata/language/functions.hpp"

namespace hearth::metadata {

namespace {

Value decided(const Value& value, Scope& scope) { return value.is_bool() ? value : scope.condition(value); }

void check_equals(const Expression& call) {
  if (!is_list_expression(call.arguments()) || length_of(call.arguments()) != 2) {
    throw value_fault(cat("Arguments to ", in_quotes(call.function->name), " must be of the form: [value_1, value_2]"));
  }
}

Value equals(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  return Value::boolean(arguments.items()[0] == arguments.items()[1]);
}

void check_not(const Expression& call) {
  if (call.arguments().type == Expression::Type::constant && call.arguments().constant.is_null()) {
    throw value_fault("Argument to \"not\" must be a condition");
  }
}

Value negation(const Value& value) { return value.is_waiting() ? value : Value::boolean(!value.as_bool()); }

Value hot_not(const Expression& call, Scope& scope) { return negation(decided(resolved(call, scope), scope)); }

void check_cfn_not(const Expression& call) {
  if (!is_list_expression(call.arguments()) || length_of(call.arguments()) != 1) {
    throw value_fault(cat("Arguments to ", in_quotes(call.function->name), " must be of the form: [condition]"));
  }
}

Value cfn_not(const Expression& call, Scope& scope) {
  return negation(decided(resolved(call, scope).items().front(), scope));
}

void check_several(const Expression& call) {
  if (!is_list_expression(call.arguments())) {
    throw value_fault(cat("Arguments to ", in_quotes(call.function->name), " must be a list of conditions"));
  }
  if (length_of(call.arguments()) < 2) {
    throw value_fault(cat("The minimum number of condition arguments to ", in_quotes(call.function->name), " is 2."));
  }
}

/// `stops`: the value that settles the matter.
Value several(const Expression& call, Scope& scope, bool stops) {
  std::vector<Event> events;
  const Value arguments = resolved(call, scope);
  for (const Value& argument : arguments.items()) {
    const Value value = decided(argument, scope);
    if (value.is_waiting()) {
      events.insert(events.end(), value.events().begin(), value.events().end());
    } else if (value.as_bool() == stops) {
      return Value::boolean(stops);
    }
  }
  return events.empty() ? Value::boolean(!stops) : Value::waiting(std::move(events));
}

Value conjunction(const Expression& call, Scope& scope) { return several(call, scope, false); }
Value disjunction(const Expression& call, Scope& scope) { return several(call, scope, true); }

}  // namespace

const std::vector<Function>& condition_functions() {
  using V = Version;
  using enum Function::Waits;
  static const std::vector<Function> table = {
      {"equals", V::v2016_10_14, V::hot_end, strictly, check_equals, nullptr, equals},
      {"not", V::v2016_10_14, V::hot_end, by_itself, check_not, nullptr, hot_not},
      {"and", V::v2016_10_14, V::hot_end, by_itself, check_several, nullptr, conjunction},
      {"or", V::v2016_10_14, V::hot_end, by_itself, check_several, nullptr, disjunction},
      {"Fn::Equals", V::aws_2010_09_09, V::heat_2012_12_12, strictly, check_equals, nullptr, equals},
      {"Fn::Not", V::aws_2010_09_09, V::heat_2012_12_12, by_itself, check_cfn_not, nullptr, cfn_not},
      {"Fn::And", V::aws_2010_09_09, V::heat_2012_12_12, by_itself, check_several, nullptr, conjunction},
      {"Fn::Or", V::aws_2010_09_09, V::heat_2012_12_12, by_itself, check_several, nullptr, disjunction},
  };
  return table;
}

}  // namespace hearth::metadata
