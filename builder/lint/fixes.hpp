// What lint can mend by itself without changing what anything means.
#pragma once

#include "builder/lint/finding.hpp"

namespace hearth::builder {

/// Mends one finding in place: x bits, line ends, a last line's end, the order of element-deps. False where only a
/// person knows what is right. Throws Error where the file can't be written.
bool mend(const Finding& finding);

}  // namespace hearth::builder
