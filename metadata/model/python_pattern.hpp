// Regular expressions as Python's re module writes them, for Boost.Regex.
// Source: docs.python.org, library/re; what is not named here is the same in both.
#pragma once

#include <string>
#include <string_view>

namespace hearth::metadata {

/// "(?P<name>…)", "(?P=name)" and "\Z" in Perl's words.
[[nodiscard]] std::string perl_pattern(std::string_view python);

}  // namespace hearth::metadata
