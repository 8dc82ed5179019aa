// JSON exactly as Python's json module reads and writes it: the agents' files are compared, rendered and signed, so the
// bytes matter. Format: separators ", " and ": ", non-ASCII as \uXXXX, floats in Python's shortest form, integers of
// any size kept exactly. See json.dumps / json.loads in Python's documentation.
//
// Integers beyond 64 bits live in Json as a binary value of subtype k_big_integer that holds their decimal digits: JSON
// itself never yields binary values, so that nothing else can look like one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace hearth {

struct PythonJsonStyle {
  int indent = -1;         ///< -1 = one line; else blanks per level
  bool sort_keys = false;  ///< by code point, as Python sorts
};

[[nodiscard]] std::string python_json(const Json& value, const PythonJsonStyle& style = {});

/// Python's str() of a value: True, None, {'a': 1}; needed for String inputs and --key type checks.
[[nodiscard]] std::string python_text(const Json& value);

/// What json.loads accepts: NaN and Infinity too, integers of any size, duplicate keys (the first keeps its place, the
/// last its value). Lone surrogate escapes become U+FFFD. Refused: invalid UTF-8, a byte order mark, nesting deeper
/// than 512. The error's text is Python's ("Expecting value"); columns count characters, as Python's do.
[[nodiscard]] Result<Json> parse_python_json(std::string_view text, std::string_view source);

/// A member of the object that a document is, with its value as it stands there: into the text that was read.
struct JsonMember {
  std::string key;
  std::string_view value;
};

/// Refuses what parse_python_json() refuses, and makes no values, which costs ten times as much: of large metadata
/// little is asked for. A key that is repeated is here as often; its last value counts. Nothing where the document is
/// no object.
[[nodiscard]] Result<std::optional<std::vector<JsonMember>>> python_json_members(std::string_view text,
                                                                                 std::string_view source);

constexpr Json::binary_t::subtype_type k_big_integer = 1;

/// `digits` is a decimal integer with optional minus sign, too large for 64 bits.
[[nodiscard]] Json make_big_integer(std::string_view digits);
[[nodiscard]] bool is_big_integer(const Json& value);
/// The digits of a big integer.
[[nodiscard]] std::string big_integer_text(const Json& value);

}  // namespace hearth
