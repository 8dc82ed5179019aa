#include <cmath>

#include "base/text.hpp"
#include "metadata/jinja/evaluator.hpp"

namespace hearth::metadata::jinja {

namespace {

[[noreturn]] void unsupported(const std::string& sign, const Object& left, const Object& right) {
  throw EvaluationError{
      cat("unsupported operand types for ", sign, ": '", kind_name(left), "' and '", kind_name(right), "'")};
}

bool contains(const Object& container, const Object& item) {
  if (container.string() != nullptr) {
    if (item.string() == nullptr)
      throw EvaluationError{cat("'in <string>' requires string as left operand, not ", kind_name(item))};
    return container.string()->find(*item.string()) != std::string::npos;
  }
  if (Dict* dict = container.members()) return dict->find(item) != nullptr;
  if (container.items() == nullptr && !container.is_undefined())
    throw EvaluationError{cat("argument of type '", kind_name(container), "' is not iterable")};
  for (const Object& each : iterate(container)) {
    if (equal(each, item)) return true;
  }
  return false;
}

Object whole(const std::string& sign, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflow = false;
  if (sign == "+") {
    overflow = __builtin_add_overflow(left, right, &result);
  } else if (sign == "-") {
    overflow = __builtin_sub_overflow(left, right, &result);
  } else if (sign == "*") {
    overflow = __builtin_mul_overflow(left, right, &result);
  } else {
    if (right == 0) throw EvaluationError{"division by zero"};
    if (right == -1) return whole("-", 0, sign == "%" ? 0 : left);
    const std::int64_t remainder = left % right;
    const bool down = remainder != 0 && (remainder < 0) != (right < 0);
    result = sign == "%" ? remainder + (down ? right : 0) : left / right - (down ? 1 : 0);
  }
  if (overflow) throw EvaluationError{"a number became too large"};
  return result;
}

Object real(const std::string& sign, double left, double right) {
  if (sign == "+") return left + right;
  if (sign == "-") return left - right;
  if (sign == "*") return left * right;
  if (sign == "**") return std::pow(left, right);
  if (right == 0) throw EvaluationError{"division by zero"};
  if (sign == "/") return left / right;
  if (sign == "//") return std::floor(left / right);
  return left - right * std::floor(left / right);
}

Object power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < exponent && i < 64; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) throw EvaluationError{"a number became too large"};
  }
  if (exponent > 64 && (base < -1 || base > 1)) throw EvaluationError{"a number became too large"};
  return base == -1 && exponent % 2 == 0 ? Object(std::int64_t{1}) : Object(result);
}

Object repeated(const Object& of, std::int64_t times) {
  const std::size_t count = times < 0 ? 0 : static_cast<std::size_t>(times);
  const std::size_t size = of.string() != nullptr ? of.string()->size() : of.items()->size();
  if (size != 0 && count > k_most_items / size) throw EvaluationError{"this repetition is too long"};
  if (of.string() != nullptr) {
    std::string out;
    for (std::size_t i = 0; i < count && size != 0; ++i) out += *of.string();
    return out;
  }
  List out;
  for (std::size_t i = 0; i < count && size != 0; ++i) out.insert(out.end(), of.items()->begin(), of.items()->end());
  return Object::list(std::move(out));
}

Object added(const Object& left, const Object& right) {
  if (left.string() != nullptr && right.string() != nullptr) {
    if (left.string()->size() + right.string()->size() > k_most_text) throw EvaluationError{"a text became too long"};
    return *left.string() + *right.string();
  }
  if (left.items() == nullptr || right.items() == nullptr) unsupported("+", left, right);
  if (left.items()->size() + right.items()->size() > k_most_items) throw EvaluationError{"a list became too long"};
  List out = *left.items();
  out.insert(out.end(), right.items()->begin(), right.items()->end());
  return Object::list(std::move(out));
}

Object compared(const std::string& sign, const Object& left, const Object& right) {
  const auto order = ordered(left, right);
  if (!order) unsupported(sign, left, right);
  if (sign == "<") return *order < 0;
  if (sign == ">") return *order > 0;
  return sign == "<=" ? *order <= 0 : *order >= 0;
}

}  // namespace

Object apply_operator(const std::string& sign, const Object& left, const Object& right) {
  if (sign == "==") return equal(left, right);
  if (sign == "!=") return !equal(left, right);
  if (sign == "in") return contains(right, left);
  if (sign == "not in") return !contains(right, left);
  if (sign == "~") {
    const std::string text = printed(left) + printed(right);
    if (text.size() > k_most_text) throw EvaluationError{"a text became too long"};
    return text;
  }
  if (left.is_undefined()) refuse_undefined(left);
  if (right.is_undefined()) refuse_undefined(right);
  if (sign == "<" || sign == ">" || sign == "<=" || sign == ">=") return compared(sign, left, right);
  if (left.integer() && right.integer() && sign != "/")
    return sign == "**" ? power(*left.integer(), *right.integer()) : whole(sign, *left.integer(), *right.integer());
  if (left.number() && right.number()) return real(sign, *left.number(), *right.number());
  if (sign == "+") return added(left, right);
  const bool sequence = left.string() != nullptr || left.items() != nullptr;
  if (sign == "*" && sequence && right.integer()) return repeated(left, *right.integer());
  const bool other = right.string() != nullptr || right.items() != nullptr;
  if (sign == "*" && other && left.integer()) return repeated(right, *left.integer());
  unsupported(sign, left, right);
}

}  // namespace hearth::metadata::jinja
