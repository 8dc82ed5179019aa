// What lint can mend by itself without changing what anything means.
#pragma once

#include <optional>
#include <string>

#include "builder/report/finding.hpp"

namespace hearth::builder {

/// Mends one finding in place: x bits, line ends, a last line's end, the order of element-deps. What it did to the
/// file, in words; nothing where only a person knows what is right. Throws Error where the file can't be written.
[[nodiscard]] std::optional<std::string> mend(const Finding& finding);

}  // namespace hearth::builder
