// What the functions' implementations share: arguments resolved, waiting passed on.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "metadata/language/expression.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

/// The single argument, resolved.
[[nodiscard]] inline Value resolved(const Expression& call, Scope& scope) { return resolve(call.arguments(), scope); }

/// `expression` is something only known when resolved.
[[nodiscard]] inline bool is_dynamic(const Expression& expression) {
  return expression.type == Expression::Type::call || expression.type == Expression::Type::branch;
}

/// The argument as written where it is a map or a list, whether or not there are functions inside.
[[nodiscard]] inline const Value& written(const Expression& call) { return call.constant; }

[[nodiscard]] inline bool is_list_expression(const Expression& e) {
  return e.type == Expression::Type::list || (e.type == Expression::Type::constant && e.constant.is_list());
}
[[nodiscard]] inline bool is_map_expression(const Expression& e) {
  return e.type == Expression::Type::map || (e.type == Expression::Type::constant && e.constant.is_map());
}
[[nodiscard]] inline std::size_t length_of(const Expression& e) {
  return e.type == Expression::Type::constant ? e.constant.items().size() : e.items.size();
}
/// The member `key` of a map expression: itself an expression; null when there is none.
[[nodiscard]] inline ExpressionPtr member(const Expression& map, std::string_view key) {
  if (map.type == Expression::Type::constant) {
    const Value* found = map.constant.find(key);
    if (found == nullptr) return nullptr;
    auto expression = std::make_shared<Expression>();
    expression->constant = *found;
    expression->mark = found->mark();
    return expression;
  }
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    if (map.keys[i].is_string() && map.keys[i].text() == key) return map.items[i];
  }
  return nullptr;
}
[[nodiscard]] inline ExpressionPtr item(const Expression& list, std::size_t index) {
  if (list.type != Expression::Type::constant) return list.items[index];
  auto expression = std::make_shared<Expression>();
  expression->constant = list.constant.items()[index];
  expression->mark = expression->constant.mark();
  return expression;
}
/// The fault of a call whose arguments are a map, with the nearest of its known keys for one that is none.
[[nodiscard]] inline Fault with_near_key(Fault fault, const Expression& call, const std::vector<std::string>& keys) {
  for (const Entry& entry : written(call).entries()) {
    const bool is_known = std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
      return entry.key.is_string() && entry.key.text() == key;
    });
    if (!is_known && entry.key.is_string() && fault.advice().empty()) fault.suggest(entry.key.text(), keys);
  }
  return fault;
}
[[nodiscard]] inline std::string in_quotes(std::string_view name) { return cat("\"", name, "\""); }

}  // namespace hearth::metadata
