// Reading scalars: plain, quoted and block, with their folding rules (YAML 1.1, chapters 9.1 to 9.2).
#pragma once

#include <string>

#include "metadata/model/yaml_cursor.hpp"

namespace hearth::metadata::yaml {

struct Text {
  std::string value;
  bool crossed_line = false;  ///< a line break was taken at the end: a simple key may follow
};

[[nodiscard]] Text read_plain(Cursor& cursor, int indent, bool in_flow);
[[nodiscard]] Text read_quoted(Cursor& cursor);
/// `indent` is that of the node around it.
[[nodiscard]] Text read_block(Cursor& cursor, int indent);

}  // namespace hearth::metadata::yaml
