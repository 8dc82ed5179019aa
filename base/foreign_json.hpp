// JSON from outside: requests, signals, reports. What is taken of it becomes part of documents of our own, so that it
// may be far less deep than what we read back.
#pragma once

#include "base/json.hpp"

namespace hearth {

/// As parse_json(), with another limit. Reading and destroying take no stack; copying and writing do.
[[nodiscard]] Result<Json> parse_json(std::string_view text, std::string_view source, std::size_t deepest);

/// What others sent: nesting deeper than 256 is refused.
[[nodiscard]] Result<Json> parse_foreign_json(std::string_view text, std::string_view source);

/// Whether more than `levels` lists and maps are inside each other.
[[nodiscard]] bool is_deeper_than(const Json& value, std::size_t levels);

/// What Json throws where a value is of another kind than is asked for, in words for people: "there is a number where a
/// text is expected".
[[nodiscard]] std::string json_fault(const Json::exception& error);

}  // namespace hearth
