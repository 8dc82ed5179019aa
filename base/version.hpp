// Which Hearth this is, down to the commit that it was built from.
#pragma once

#include <string>

namespace hearth {

/// "0.1.0 (d9e9c1ac3b2d)", with "changed" where the tree had uncommitted changes; without the commit where none is
/// known (a source archive that names none). Made by cmake/Version.cmake.
[[nodiscard]] std::string build_version();

}  // namespace hearth
