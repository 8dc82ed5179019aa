#include "metadata/template/conditions.hpp"

#include <memory>

#include "base/text.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_longest_condition_chain = 500;

Fault no_condition(const std::string& name, const Value& definition, Version version) {
  Fault fault = validation_fault(cat("Condition validation error: The definition of condition \"", name,
                                     "\" is invalid: ", python_str(definition)),
                                 definition.mark());
  const bool likely_call = definition.is_map() && definition.entries().size() == 1;
  if (likely_call) fault.suggest(python_str(definition.entries()[0].key), condition_function_names(version));
  return fault;
}

bool may_be_condition(const Expression& expression) {
  return expression.type == Expression::Type::call || expression.type == Expression::Type::faulty ||
         (expression.type == Expression::Type::constant && expression.constant.is_bool());
}

}  // namespace

Value Conditions::enabled(const Value& condition, Scope& scope) {
  if (condition.is_null()) return Value::boolean(true);
  if (condition.is_bool() || condition.is_waiting()) return condition;
  const ExpressionPtr definition = condition.is_string() ? template_->condition(condition.text()) : nullptr;
  if (definition == nullptr) {
    Fault fault = value_fault(cat("Invalid condition \"", python_str(condition), "\""), condition.mark());
    if (condition.is_string()) fault.suggest(condition.text(), template_->condition_names());
    throw fault;
  }
  const std::string& name = condition.text();
  const auto found = known_.find(name);
  if (found != known_.end()) {
    if (!found->second.is_null()) return found->second;
    throw validation_fault(cat("Condition validation error: Circular definition for condition \"", name, "\""),
                           definition->mark);
  }
  if (too_long_) throw Fault(*too_long_);
  if (deciding_ >= k_longest_condition_chain) {
    too_long_ = validation_fault(
        cat("conditions depend on each other in a chain of more than ", k_longest_condition_chain), definition->mark);
    throw Fault(*too_long_);
  }
  known_[name] = {};
  ++deciding_;
  const std::unique_ptr<std::size_t, void (*)(std::size_t*)> until(&deciding_, [](std::size_t* count) { --*count; });
  try {
    check(*definition, scope);
    if (!may_be_condition(*definition)) throw no_condition(name, as_written(name), template_->version());
    const Value decided = resolve(*definition, scope);
    if (!decided.is_bool() && !decided.is_waiting()) throw no_condition(name, decided, template_->version());
    known_.erase(name);  // what waits may be known later
    return decided.is_waiting() ? decided : known_[name] = decided;
  } catch (...) {
    known_.erase(name);  // whoever asks again is to hear it again
    throw;
  }
}

Value Conditions::as_written(const std::string& name) const {
  const Value* found = template_->section("conditions", "Conditions").find(name);
  return found == nullptr ? Value() : *found;
}

void Conditions::validate(Scope& scope) {
  for (const std::string& name : template_->condition_names()) {
    const ExpressionPtr definition = template_->condition(name);
    check(*definition, scope);
    if (!may_be_condition(*definition)) throw no_condition(name, as_written(name), template_->version());
    metadata::validate(*definition, scope, name);
  }
}

}  // namespace hearth::metadata
