// From a byte offset to a place that a person can find.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace hearth {

/// Line and column of an offset in UTF-8 text; columns count characters.
[[nodiscard]] Position position_in(std::string_view text, std::size_t offset);

}  // namespace hearth
