// Between the values of templates and JSON.
#pragma once

#include "base/json.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata::live {

/// Integers beyond 64 bits become floating point, infinities null, keys text. What waits is an Error that says for
/// what.
[[nodiscard]] Json to_json(const Value& value);
[[nodiscard]] Value to_value(const Json& json);

}  // namespace hearth::metadata::live
