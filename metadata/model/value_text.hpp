// Values as text, byte for byte as Python writes them: json.dumps, str() and repr(); truth; ordering.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

struct JsonStyle {
  int indent = -1;         ///< -1 = one line
  bool sort_keys = false;  ///< by code point
};

/// json.dumps: ", " and ": " between, non-ASCII as \uXXXX, keys that are no strings become such. A waiting value is
/// written as {"hearth::waiting": ["PATH.ATTRIBUTE", …]}.
[[nodiscard]] std::string json_text(const Value& value, const JsonStyle& style = {});
/// str(): strings as they are, True, None, 1.0, {'a': 1}.
[[nodiscard]] std::string python_str(const Value& value);
[[nodiscard]] std::string python_repr(const Value& value);
/// bool(): nothing, zero and what is empty are false.
[[nodiscard]] bool truth(const Value& value);
/// The name of its type in Python: "str", "dict".
[[nodiscard]] std::string_view type_name(const Value& value);
/// int() of a text: blanks around, a sign, digits with single underscores between.
[[nodiscard]] std::optional<Value> integer_from(std::string_view text);
/// float() of a text.
[[nodiscard]] std::optional<double> real_from(std::string_view text);
/// Events of everything inside that waits.
[[nodiscard]] std::vector<Event> events_in(const Value& value);

}  // namespace hearth::metadata
