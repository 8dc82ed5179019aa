// The order of versions of Debian packages: [EPOCH:]UPSTREAM[-REVISION] (deb-version(7), Debian policy 5.6.12).
#pragma once

#include <string_view>

namespace hearth {

/// Negative, 0 or positive. Runs of digits count as numbers, "~" sorts before everything, also before the end.
[[nodiscard]] int compare_debian_versions(std::string_view one, std::string_view other);

}  // namespace hearth
