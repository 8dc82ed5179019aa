// Times of files that come out of a layer. What the layer's build wrote has the time of that build; had the steps run
// now, it would have the time of now. That matters where the image's own time (SOURCE_DATE_EPOCH) lies between the two:
// later times than that become that, earlier ones stay. What a step copied with its time (cp -a) has that still, and
// keeps it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

/// When a build wrote: times of files, nanoseconds since the epoch, both included.
struct WriteTimes {
  std::int64_t began = 0;
  std::int64_t ended = 0;
};

/// What the file system of `directory` gives a file that is written now: later than any that was written before.
[[nodiscard]] std::int64_t new_write_time(const fs::path& directory);
/// Not later than what is written from now on.
[[nodiscard]] std::int64_t latest_write_time(const fs::path& directory);

/// Gives everything below `root`, and itself, that was modified at one of these times the present time. Links are not
/// followed.
void renew_times(const fs::path& root, const std::vector<WriteTimes>& written);

}  // namespace hearth::builder
