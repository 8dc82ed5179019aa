#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// The name that an old output is moved to: "STEM-YYYY.mm.dd-HH.MM.SS.EXT", in UTC.
[[nodiscard]] fs::path old_output_name(const fs::path& target, WallTime now);

/// Gives an existing `target`, and its .md5, .sha256 and .sha512 (content as they are), another name as well; a
/// directory, and what can't have two names, is moved. Returns the other name, or an empty path when there was nothing.
fs::path keep_old_output(const fs::path& target, const Clock& clock);

/// Whether two files hold the same bytes; false where they are one file.
[[nodiscard]] bool has_same_bytes(const fs::path& one, const fs::path& other);

/// Removes a kept output and its checksums.
void drop_old_output(const fs::path& kept);

/// The output could not be written: what was kept has its own name alone again.
void take_back_old_output(const fs::path& target, const fs::path& kept);

}  // namespace hearth::builder
