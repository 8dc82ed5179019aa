// Clones of git in the tree. A clone notes when it was made (reflogs) and what the file system said of each file (the
// index: times, inode, device, owner), so that the same commit makes other bytes each time. None of it holds in the
// image, where git finds each file changed by its times and reads it.
#pragma once

#include "base/path.hpp"

namespace hearth::builder {

/// Takes the reflogs out of all git directories below `root`, those of submodules too, and what the file system said of
/// each file out of their indices (gitformat-index(5), versions 2 to 4): git looks at each file then, as after `git
/// read-tree`. An index that is not whole or of another version stays as it is. Links are not followed. Throws Error.
void settle_clones(const fs::path& root);

}  // namespace hearth::builder
