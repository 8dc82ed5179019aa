// What YAQL's binary operators do with the kinds of values.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "metadata/model/characters.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

namespace {

bool is_number(const Item& item) {
  return item.type == Item::Type::plain && item.value.is_number() && !item.value.is_bool();
}

[[noreturn]] void mismatch(const std::string& name) {
  throw Fault("NoMatchingFunctionException", cat("No function \"#operator_", name, "\" matches supplied arguments"));
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

Value arithmetic(const std::string& name, const Value& a, const Value& b) {
  const bool divides = name == "/" || name == "mod";
  if (divides && b.as_real() == 0) throw Fault("ZeroDivisionError", "integer division or modulo by zero");
  if (a.kind() != Kind::integer || b.kind() != Kind::integer) {
    const double x = a.as_real();
    const double y = b.as_real();
    if (name == "+") return Value::real(x + y);
    if (name == "-") return Value::real(x - y);
    if (name == "*") return Value::real(x * y);
    if (name == "/") return Value::real(x / y);
    return Value::real(x - std::floor(x / y) * y);
  }
  const std::int64_t x = a.as_integer();
  const std::int64_t y = b.as_integer();
  std::int64_t result = 0;
  const bool overflows = name == "+"   ? __builtin_add_overflow(x, y, &result)
                         : name == "-" ? __builtin_sub_overflow(x, y, &result)
                                       : name == "*" && __builtin_mul_overflow(x, y, &result);
  if (overflows || (divides && y == -1 && x == INT64_MIN))
    throw Fault("OverflowError", "this number is beyond 64 bits");
  if (name == "/") return Value::integer(floor_divide(x, y));
  if (name == "mod") return Value::integer(x - floor_divide(x, y) * y);
  return Value::integer(result);
}

Value merged(const Value& left, const Value& right) {
  MapBuilder members(left.entries());
  for (const Entry& entry : right.entries()) members.set(entry.key, entry.value);
  return Value::map(std::move(members));
}

Item add(const Item& left, const Item& right, Evaluator& evaluator) {
  if (is_number(left) && is_number(right)) return arithmetic("+", left.value, right.value);
  if (left.is_text() && right.is_text()) return Value::string(left.value.text() + right.value.text());
  if (left.is_map() && right.is_map()) {
    evaluator.count_items(left.value.entries().size() + right.value.entries().size());
    return merged(left.value, right.value);
  }
  if (!left.is_collection() || !right.is_collection()) mismatch("+");
  std::vector<Value> items = evaluator.items(left);
  const std::vector<Value>& more = evaluator.items(right);
  items.insert(items.end(), more.begin(), more.end());
  return Value::list(std::move(items));
}

Item multiply(const Item& left, const Item& right, const Evaluator& evaluator) {
  if (is_number(left) && is_number(right)) return arithmetic("*", left.value, right.value);
  const bool count_right = right.value.kind() == Kind::integer;
  const Value& what = count_right ? left.value : right.value;
  const Value& count = count_right ? right.value : left.value;
  const bool plain = left.type == Item::Type::plain && right.type == Item::Type::plain;
  if (!plain || count.kind() != Kind::integer || (!what.is_string() && !what.is_list())) mismatch("*");
  const std::int64_t times = std::clamp<std::int64_t>(count.as_integer(), 0, std::numeric_limits<std::int32_t>::max());
  require_room(static_cast<std::uint64_t>(times) *
               (what.is_string() ? what.text().size() : what.items().size() * sizeof(Value)));
  evaluator.count_items(static_cast<std::size_t>(times));
  if (what.is_string()) {
    std::string text;
    for (std::int64_t i = 0; i < times; ++i) text += what.text();
    return Value::string(text);
  }
  std::vector<Value> items;
  for (std::int64_t i = 0; i < times; ++i) items.insert(items.end(), what.items().begin(), what.items().end());
  return Value::list(std::move(items));
}

/// <0, 0, >0; nothing when they can't be compared.
std::optional<int> compare(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return (a.is_null() ? 0 : 1) - (b.is_null() ? 0 : 1);  // null is less than all
  if (a.is_string() && b.is_string()) return a.text().compare(b.text());
  if (a.is_number() && b.is_number() && !a.is_bool() && !b.is_bool()) {
    return a.as_real() < b.as_real() ? -1 : a.as_real() > b.as_real() ? 1 : 0;
  }
  return std::nullopt;
}

/// As Python unpacks it into key and value.
Value as_pair(const Value& value) {
  std::vector<Value> parts;
  if (value.is_list()) {
    parts = value.items();
  } else if (value.is_map()) {
    for (const Entry& entry : value.entries()) parts.push_back(entry.key);
  } else if (value.is_string()) {
    for (std::string& part : characters(value.text())) parts.push_back(Value::string(std::move(part)));
  } else {
    throw type_fault(cat("cannot unpack non-iterable ", type_name(value), " object"));
  }
  if (parts.size() < 2) throw value_fault(cat("not enough values to unpack (expected 2, got ", parts.size(), ")"));
  if (parts.size() > 2) throw value_fault("too many values to unpack (expected 2)");
  return Value::list(std::move(parts));
}

bool in(const Item& left, const Item& right, Evaluator& evaluator) {
  if (left.is_text() && right.is_text()) return find_part(right.value.text(), left.value.text()) != std::string::npos;
  if (!right.is_collection()) mismatch("in");
  return is_in(left, right, evaluator);
}

bool matches(const Item& left, const Item& right, Evaluator& evaluator) {
  const Item& pattern = left.type == Item::Type::regex ? left : right;
  const Item& text = left.type == Item::Type::regex ? right : left;
  if (!text.is_text() || !(pattern.is_text() || pattern.type == Item::Type::regex)) mismatch("=~");
  return !matches_of(evaluator, pattern, text.value.text(), 1).empty();
}

/// Python's generators and views equal nothing but themselves, and a set equals sets only.
bool equal(const Item& left, const Item& right) {
  const auto passing = [](const Item& item) {
    return item.type == Item::Type::iterator || item.type == Item::Type::view;
  };
  if (passing(left) || passing(right)) return false;
  const bool sets = left.type == Item::Type::set;
  if (sets != (right.type == Item::Type::set)) return false;
  if (!sets) return left.value == right.value;
  const std::vector<Value>& all = left.value.items();
  const std::vector<Value>& others = right.value.items();
  const ValueSet known(others.begin(), others.end());
  return all.size() == others.size() &&
         std::all_of(all.begin(), all.end(), [&](const Value& item) { return known.count(item) > 0; });
}

}  // namespace

bool is_in(const Item& wanted, const Item& collection, const Evaluator& evaluator) {
  const Value value = collection.of_map == Item::PartOfMap::items ? as_pair(wanted.value) : wanted.value;
  Cursor items(evaluator, collection);
  while (const std::optional<Value> item = items.next()) {
    if (*item == value) return true;
  }
  return false;
}

Item apply_operator(const std::string& name, const Item& left, const Item& right, Evaluator& evaluator) {
  if (name == "=") return Value::boolean(equal(left, right));
  if (name == "!=") return Value::boolean(!equal(left, right));
  for (const Item* each : {&left, &right}) {
    if (each->is_text()) evaluator.count_letters(each->value.text().size());
  }
  if (name == "+") return add(left, right, evaluator);
  if (name == "*") return multiply(left, right, evaluator);
  if (name == "in") return Value::boolean(in(left, right, evaluator));
  if (name == "=~") return Value::boolean(matches(left, right, evaluator));
  if (name == "!~") return Value::boolean(!matches(left, right, evaluator));
  if (name == "-" || name == "/" || name == "mod") {
    if (!is_number(left) || !is_number(right)) mismatch(name);
    return arithmetic(name, left.value, right.value);
  }
  const std::optional<int> order = compare(left.value, right.value);
  if (!order) mismatch(name);
  if (name == "<") return Value::boolean(*order < 0);
  if (name == ">") return Value::boolean(*order > 0);
  if (name == "<=") return Value::boolean(*order <= 0);
  return Value::boolean(*order >= 0);
}

}  // namespace hearth::metadata::yaql
