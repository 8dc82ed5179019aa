// How many files and connections this process may have open.
#pragma once

#include <cstddef>

namespace hearth {

/// Raises the soft limit to `wanted`, as far as the hard one lets it: that of 1024 is for programs that use select(2).
void allow_descriptors(std::size_t wanted);

}  // namespace hearth
