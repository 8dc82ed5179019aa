// Times of files that no package brought. A hook that copies with times (rsync -a, cp -a) gives its element's: when
// somebody cloned or unpacked that. Where they are later than the image's own time (SOURCE_DATE_EPOCH), writing the
// image makes them that; earlier ones must become it, too, or a clone of last week makes other bytes than one of today.
#pragma once

#include <cstdint>

#include "base/path.hpp"

namespace hearth::builder {

/// Gives everything below `root` that is older than `epoch` (seconds) and that dpkg's database there does not list the
/// time `epoch`; the database itself keeps its times. Nothing where there is no such database: then what came with
/// packages can't be told. Links are not followed. Throws Error.
void settle_times(const fs::path& root, std::int64_t epoch);

}  // namespace hearth::builder
