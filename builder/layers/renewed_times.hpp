// Times of files that come out of a layer. What the layer's build wrote has the time of that build; had the steps run
// now, it would have the time of now. That matters where the image's own time (SOURCE_DATE_EPOCH) lies between the two:
// later times than that become that, earlier ones stay.
#pragma once

#include <cstdint>

#include "base/path.hpp"

namespace hearth::builder {

/// Gives everything below `root`, and itself, that was modified at `since` (seconds since the epoch) or later the
/// present time. Links are not followed.
void renew_times(const fs::path& root, std::int64_t since);

}  // namespace hearth::builder
