// From a changed copy of a directory tree to what an overlay over the tree would have in its upper directory.
#pragma once

#include "base/path.hpp"

namespace hearth::builder {

/// `tree` began as a copy of `base` and was worked in. Takes away what is still the same, and puts the mark of a
/// removed file (a whiteout) in place of what is gone. Times don't count.
void leave_difference(const fs::path& base, const fs::path& tree);

}  // namespace hearth::builder
