// JSON by nlohmann, with key order kept and errors that give line and column.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hearth {

using Json = nlohmann::ordered_json;

/// Parses a whole document. `source` names it in errors. Nesting deeper than 512 is refused (it would exhaust the
/// stack).
[[nodiscard]] Result<Json> parse_json(std::string_view text, std::string_view source);

}  // namespace hearth
