// Noting when each step of a build began.
#pragma once

#include <memory>
#include <vector>

#include "base/progress.hpp"
#include "builder/evidence/tree_record.hpp"

namespace hearth::builder::evidence {

/// Progress that adds each step's name and the time it began (wall clock) to `spans` besides.
[[nodiscard]] std::unique_ptr<Progress> note_steps(std::unique_ptr<Progress> progress, const Clock& clock,
                                                   std::vector<StepSpan>& spans);

}  // namespace hearth::builder::evidence
