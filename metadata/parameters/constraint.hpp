// Constraints of parameters and properties: length, range, modulo, allowed values, allowed pattern, custom names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metadata/model/python_pattern.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// Types of parameters (the first five) and of properties.
enum class DataType { string, number, list, map, boolean, integer, any };

struct Constraint {
  enum class Kind { length, range, modulo, allowed_values, allowed_pattern, custom };
  Kind kind = Kind::length;
  Value low{};   ///< min; step of modulo
  Value high{};  ///< max; offset of modulo
  std::vector<Value> allowed{};
  std::string text{};  ///< the pattern; the custom constraint's name
  std::optional<std::string> description{};
  Mark mark{};

  /// Throws ValueError or TypeError with the description, or Heat's own text where there is none.
  void check(const Value& value, DataType type) const;
  void check(const Value& value, DataType type, PatternBudget& patterns) const;
  [[nodiscard]] bool fits(DataType type) const;
  /// "Length", "AllowedValues": the name in messages.
  [[nodiscard]] std::string_view name() const;
};

/// Throw InvalidSchemaError for what can't be a constraint.
[[nodiscard]] Constraint length_constraint(const Value& min, const Value& max);
[[nodiscard]] Constraint range_constraint(const Value& min, const Value& max);
[[nodiscard]] Constraint modulo_constraint(const Value& step, const Value& offset);
[[nodiscard]] Constraint allowed_values_constraint(const Value& allowed);
[[nodiscard]] Constraint allowed_pattern_constraint(const Value& pattern);

/// A number as it is, or read from a text: int where it parses as one, else float. Throws ValueError, TypeError.
[[nodiscard]] Value to_number(const Value& value);
/// The value in the type that comparisons are made in. Throws ValueError.
[[nodiscard]] Value to_type(const Value& value, DataType type);
/// The words that are booleans; throws ValueError.
[[nodiscard]] bool to_boolean(const Value& value);

}  // namespace hearth::metadata
