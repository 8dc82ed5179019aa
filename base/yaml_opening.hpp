// Where a bracket, brace or quote was opened that nothing closes. A reader of YAML notices it lines later, or at the
// end of the file; a person has to look where it was opened.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hearth {

struct YamlOpening {
  Position at;
  std::string what;  ///< "this '[' is not closed"
};

/// Of a text that a reader refuses at `fault`: the opening that this comes of, if it does.
[[nodiscard]] std::optional<YamlOpening> yaml_opening_of(std::string_view text, const Position& fault);

/// The quote that is open where the text ends, if one is.
[[nodiscard]] std::optional<YamlOpening> open_yaml_quote(std::string_view text);

}  // namespace hearth
