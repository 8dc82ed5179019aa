// Equality of JSON values as Python sees it: key order does not matter, 1 == 1.0, and true == 1.
#pragma once

#include "base/json.hpp"

namespace hearth::agent {

/// NaN differs from everything, itself included, as in Python.
[[nodiscard]] bool same_value(const Json& a, const Json& b);

}  // namespace hearth::agent
