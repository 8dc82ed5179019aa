// The INI dialect of oslo.config, which /etc/os-collect-config.conf is written in:
//
//   file     := { blank | comment | section | assignment | continuation }
//   comment  := ("#" | ";") text                 only at the start of a line; there are no inline comments
//   section  := "[" name "]"                     DEFAULT as it is; other names are case-insensitive
//   assignment := key ("=" | ":") value          the first of the two marks; key and value are trimmed; one pair of
//                                                quotes around the value is dropped
//   continuation := (blank | tab) text           goes on the value before it, behind a newline
//
// A blank line ends a value. Everything else is an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hearth::agent {

struct Assignment {
  std::string group;
  std::string key;
  std::string value;
  bool operator==(const Assignment&) const = default;
};

/// All assignments of a file, in its order. `source` names it in errors.
[[nodiscard]] Result<std::vector<Assignment>> parse_ini(std::string_view text, const std::string& source);

/// A group name as it is compared: lower case, but DEFAULT stays.
[[nodiscard]] std::string normal_group(std::string_view name);

}  // namespace hearth::agent
