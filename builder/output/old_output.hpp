#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// The name that an old output is moved to: "STEM-YYYY.mm.dd-HH.MM.SS.EXT", in UTC.
[[nodiscard]] fs::path old_output_name(const fs::path& target, WallTime now);

/// Moves an existing `target`, and its .md5, .sha256 and .sha512 (content as they are), out of the way. Returns the new
/// name, or an empty path when there was nothing.
fs::path keep_old_output(const fs::path& target, const Clock& clock);

}  // namespace hearth::builder
