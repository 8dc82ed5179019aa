// The function make_url: a URL from its parts, quoted as Python's urllib does it.
#pragma once

#include "metadata/language/expression.hpp"

namespace hearth::metadata {

void validate_url(const Expression& call, Scope& scope);
[[nodiscard]] Value make_url(const Expression& call, Scope& scope);

}  // namespace hearth::metadata
