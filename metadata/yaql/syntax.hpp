// The syntax of YAQL, as far as template writers use it: constants, $variables, calls, methods, operators, lists, maps.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata::yaql {

struct Syntax;
using SyntaxPtr = std::shared_ptr<const Syntax>;

struct Syntax {
  enum class Type { constant, keyword, variable, call, binary, unary, index, list, map, rule, nothing };
  Type type = Type::constant;
  Value constant{};
  std::string name{};  ///< keyword, variable (with $), function, operator
  std::vector<SyntaxPtr> parts{};
};

/// Columns count bytes of the expression. Nesting deeper than 100 is refused.
[[nodiscard]] Result<SyntaxPtr> parse(std::string_view expression);

}  // namespace hearth::metadata::yaql
