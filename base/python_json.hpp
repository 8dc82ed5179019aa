// JSON exactly as Python's json module reads and writes it: the agents' files are compared, rendered and signed, so the
// bytes matter. Format: separators ", " and ": ", non-ASCII as \uXXXX, floats in Python's shortest form, integers of any
// size kept exactly. See json.dumps / json.loads in Python's documentation.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace hearth {

struct PythonJsonStyle {
  int indent = -1;         ///< -1 = one line; else blanks per level
  bool sort_keys = false;  ///< by code point, as Python sorts
};

[[nodiscard]] std::string python_json(const Json& value, const PythonJsonStyle& style = {});

/// Python's str() of a value: True, None, {'a': 1}; needed for String inputs and --key type checks.
[[nodiscard]] std::string python_text(const Json& value);

}  // namespace hearth
