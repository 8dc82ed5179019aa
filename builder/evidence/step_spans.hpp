// Noting when each step of a build began.
#pragma once

#include <memory>
#include <vector>

#include "base/progress.hpp"
#include "builder/evidence/tree_record.hpp"

namespace hearth::builder::evidence {

/// The kernel stamps files with the time of its last tick. This waits for the one after the next (some milliseconds)
/// and returns it, in nanoseconds since the epoch: what was changed before is stamped earlier, what is changed from now
/// on is not.
[[nodiscard]] std::int64_t next_file_time();

/// Progress that adds each step's name and the stamp of the first file that it can change to `spans` besides.
[[nodiscard]] std::unique_ptr<Progress> note_steps(std::unique_ptr<Progress> progress, std::vector<StepSpan>& spans);

}  // namespace hearth::builder::evidence
