// Python's literal syntax, as far as values of Heat's inputs use it: Heat's own agents read some inputs with
// ast.literal_eval. https://docs.python.org/3/library/ast.html#ast.literal_eval
#pragma once

#include <string_view>

#include "base/json.hpp"

namespace hearth::agent {

/// Lists, tuples, dictionaries with text keys, strings (prefixes u and r, all escapes but \N{}), integers, floats,
/// True, False, None. Nesting deeper than 64 is refused.
[[nodiscard]] Result<Json> parse_python_literal(std::string_view text, std::string_view source);

}  // namespace hearth::agent
