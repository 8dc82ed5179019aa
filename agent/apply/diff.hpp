// The difference between two texts in the unified format of diff(1).
#pragma once

#include <string>
#include <string_view>

namespace hearth::agent {

/// Empty when the texts are equal. Three lines of context; "\ No newline at end of file" where it applies.
[[nodiscard]] std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                                       std::string_view after_name);

}  // namespace hearth::agent
