// JSON as Python's json.loads reads it (NaN, Infinity, integers of any size, the last of equal keys wins), each value
// with its position.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// Error texts are Python's: "Expecting value"; the position is in the error. `file` as for parse_yaml.
[[nodiscard]] Result<Value> parse_json_value(std::string_view text, std::string_view source, std::uint32_t file = 0);

/// "Expecting value: line 1 column 1 (char 0)", as str() of Python's JSONDecodeError.
[[nodiscard]] std::string json_error_text(const ParseError& error, std::string_view text);

}  // namespace hearth::metadata
