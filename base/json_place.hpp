// Where a member stands in the text of a JSON document: for messages about documents that are JSON, but wrong.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace hearth {

/// The place of "networks[0].dns": of its key in an object, of the item in a list; else of the nearest thing on the way
/// to it that is there. `text` must be valid JSON. Pure.
[[nodiscard]] Position place_in_json(std::string_view text, std::string_view path);

}  // namespace hearth
