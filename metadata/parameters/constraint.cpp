#include "metadata/parameters/constraint.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/python_pattern.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/parameters/custom_constraints.hpp"

namespace hearth::metadata {

namespace {

Fault bad_schema(const std::string& text, const Mark& mark = {}) { return {"InvalidSchemaError", text, mark}; }

Value number_or_null(const Value& value) { return value.is_null() ? value : to_number(value); }

std::int64_t value_length(const Value& value) {
  if (value.is_list()) return static_cast<std::int64_t>(value.items().size());
  if (value.is_map()) return static_cast<std::int64_t>(value.entries().size());
  if (!value.is_string()) throw type_fault(cat("object of type '", type_name(value), "' has no len()"), value.mark());
  return std::count_if(value.text().begin(), value.text().end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
}

bool in_range(const Value& number, const Value& low, const Value& high) {
  if (!low.is_null() && number.as_real() < low.as_real()) return false;
  return high.is_null() || !(number.as_real() > high.as_real());  // what is no number is neither
}

bool is_allowed(const Constraint& constraint, const Value& value, DataType type) {
  if (value.is_list()) {
    const ValueSet allowed(constraint.allowed.begin(), constraint.allowed.end());
    return std::all_of(value.items().begin(), value.items().end(),
                       [&](const Value& v) { return allowed.count(v) > 0; });
  }
  std::vector<Value> allowed;  // all of them must be of the type
  for (const Value& each : constraint.allowed) allowed.push_back(to_type(each, type));
  return std::find(allowed.begin(), allowed.end(), to_type(value, type)) != allowed.end();
}

std::string allowed_text(const std::vector<Value>& allowed) { return json_text(Value::list(allowed)); }

/// As Python's %: it has the sign of the divisor. Both are whole where the number is too big for 64 bits.
double remainder(const Value& number, double divisor) {
  double rest = 0;
  if (number.kind() == Kind::big_integer) {
    const std::string& digits = number.text();
    for (const char digit : digits) {
      if (digit >= '0' && digit <= '9') rest = std::fmod(rest * 10 + (digit - '0'), divisor);
    }
    if (digits[0] == '-') rest = -rest;
  } else {
    rest = std::fmod(number.as_real(), divisor);
  }
  return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

/// What is wrong; empty when nothing is.
std::string complaint(const Constraint& c, const Value& value, DataType type, PatternBudget& patterns) {
  switch (c.kind) {
    case Constraint::Kind::length: {
      const std::int64_t length = value_length(value);
      if (in_range(Value::integer(length), c.low, c.high)) return "";
      return cat("length (", length, ") is out of range (min: ", python_str(c.low), ", max: ", python_str(c.high), ")");
    }
    case Constraint::Kind::range:
      if (in_range(to_number(value), c.low, c.high)) return "";
      return cat(python_str(value), " is out of range (min: ", python_str(c.low), ", max: ", python_str(c.high), ")");
    case Constraint::Kind::modulo: {
      if (remainder(to_number(value), c.low.as_real()) == c.high.as_real()) return "";
      return cat(python_str(value), " is not a multiple of ", python_str(c.low), " with an offset of ",
                 python_str(c.high));
    }
    case Constraint::Kind::allowed_values:
      if (is_allowed(c, value, type)) return "";
      return cat(json_text(value), " is not an allowed value ", allowed_text(c.allowed));
    case Constraint::Kind::allowed_pattern:
      if (!value.is_string()) throw type_fault("expected string or bytes-like object", value.mark());
      if (PythonPattern(c.text).matches_to_the_end(value.text(), patterns)) return "";
      return cat("\"", value.text(), "\" does not match pattern \"", c.text, "\"");
    case Constraint::Kind::custom: return custom_complaint(c.text, value);
  }
  return "";
}

void check_numeric(const Value& a, const Value& b, std::string_view what) {
  for (const Value* value : {&a, &b}) {
    if (!value->is_null() && !value->is_number()) throw bad_schema(cat(what, " must be numeric"), value->mark());
  }
}

}  // namespace

void Constraint::check(const Value& value, DataType type) const {
  PatternBudget own;
  check(value, type, own);
}

void Constraint::check(const Value& value, DataType type, PatternBudget& patterns) const {
  const std::string wrong = complaint(*this, value, type, patterns);
  if (wrong.empty()) return;
  Fault fault = value_fault(description && !description->empty() ? *description : wrong, value.mark());
  constexpr std::size_t most_compared = 100;  // as many may be wrong, too
  if (kind != Kind::allowed_values || !value.is_string() || allowed.size() > most_compared) throw fault;
  std::vector<std::string> words;
  for (const Value& word : allowed) words.push_back(python_str(word));
  throw fault.suggest(value.text(), words);
}

bool Constraint::fits(DataType type) const {
  const bool numeric = type == DataType::number || type == DataType::integer;
  switch (kind) {
    case Kind::length: return type == DataType::string || type == DataType::list || type == DataType::map;
    case Kind::range:
    case Kind::modulo: return numeric;
    case Kind::allowed_pattern: return type == DataType::string;
    default: return type != DataType::map && type != DataType::any;
  }
}

std::string_view Constraint::name() const {
  switch (kind) {
    case Kind::length: return "Length";
    case Kind::range: return "Range";
    case Kind::modulo: return "Modulo";
    case Kind::allowed_values: return "AllowedValues";
    case Kind::allowed_pattern: return "AllowedPattern";
    default: return "CustomConstraint";
  }
}

Constraint length_constraint(const Value& min, const Value& max) {
  if (min.is_null() && max.is_null())
    throw bad_schema("A length constraint must have a min value and/or a max value specified.");
  Constraint made{.kind = Constraint::Kind::length, .low = number_or_null(min), .high = number_or_null(max)};
  check_numeric(made.low, made.high, "min/max");
  for (const Value* bound : {&made.low, &made.high}) {
    if (bound->kind() == Kind::real) throw bad_schema("min/max length must be integral", min.mark());
  }
  return made;
}

Constraint range_constraint(const Value& min, const Value& max) {
  if (min.is_null() && max.is_null())
    throw bad_schema("A range constraint must have a min value and/or a max value specified.");
  Constraint made{.kind = Constraint::Kind::range, .low = number_or_null(min), .high = number_or_null(max)};
  check_numeric(made.low, made.high, "min/max");
  return made;
}

Constraint modulo_constraint(const Value& step, const Value& offset) {
  Constraint made{.kind = Constraint::Kind::modulo, .low = number_or_null(step), .high = number_or_null(offset)};
  if (step.is_null() || offset.is_null()) {
    throw bad_schema("A modulo constraint must have a step value and an offset value specified.");
  }
  check_numeric(made.low, made.high, "step/offset");
  const double s = made.low.as_real();
  const double o = made.high.as_real();
  if (s != std::trunc(s) || o != std::trunc(o)) throw bad_schema("step/offset must be integer", step.mark());
  if (s == 0) throw bad_schema("step cannot be 0.", step.mark());
  if (std::fabs(o) >= std::fabs(s))
    throw bad_schema("offset must be smaller (by absolute value) than step.", offset.mark());
  if (s * o < 0) throw bad_schema("step and offset must be both positive or both negative.", step.mark());
  return made;
}

Constraint allowed_values_constraint(const Value& allowed) {
  if (!allowed.is_list()) throw bad_schema("AllowedValues must be a list", allowed.mark());
  return {.kind = Constraint::Kind::allowed_values, .allowed = allowed.items()};
}

Constraint allowed_pattern_constraint(const Value& pattern) {
  if (!pattern.is_string()) throw bad_schema("AllowedPattern must be a string", pattern.mark());
  try {
    (void)PythonPattern(pattern.text());
  } catch (const Fault& fault) {
    throw fault.at(pattern.mark());
  }
  return {.kind = Constraint::Kind::allowed_pattern, .text = pattern.text()};
}

Value to_number(const Value& value) {
  if (value.is_number()) return value;
  if (!value.is_string()) {
    throw type_fault(
        cat("int() argument must be a string, a bytes-like object or a real number, not '", type_name(value), "'"),
        value.mark());
  }
  if (std::optional<Value> number = integer_from(value.text())) return number->with_mark(value.mark());
  if (const std::optional<double> number = real_from(value.text())) return Value::real(*number).with_mark(value.mark());
  throw value_fault(cat("could not convert string to float: ", python_repr(value)), value.mark());
}

bool to_boolean(const Value& value) {
  const std::string text = to_lower(trim(python_str(value)));
  for (const std::string_view word : {"1", "t", "true", "on", "y", "yes"}) {
    if (text == word) return true;
  }
  for (const std::string_view word : {"0", "f", "false", "off", "n", "no"}) {
    if (text == word) return false;
  }
  throw value_fault(cat("Unrecognized value '", python_str(value),
                        "', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', "
                        "'off', 'on', 't', 'true', 'y', 'yes'"),
                    value.mark());
}

Value to_type(const Value& value, DataType type) {
  switch (type) {
    case DataType::integer: {
      Value number = to_number(value);
      if (number.kind() == Kind::real)
        throw value_fault(cat("Value \"", python_str(value), "\" is invalid for data type \"Integer\"."), value.mark());
      return number;
    }
    case DataType::number: try { return to_number(value);
      } catch (const Fault& fault) {
        if (fault.type() != "ValueError") throw;
        throw value_fault(cat("Value \"", python_str(value), "\" is invalid for data type \"number\"."), value.mark());
      }
    case DataType::string: return value.is_string() ? value : Value::string(python_str(value)).with_mark(value.mark());
    case DataType::boolean: try { return Value::boolean(to_boolean(value)).with_mark(value.mark());
      } catch (const Fault&) {
        throw value_fault(cat("Value \"", python_str(value), "\" is invalid for data type \"boolean\"."), value.mark());
      }
    default: return value;
  }
}

}  // namespace hearth::metadata
