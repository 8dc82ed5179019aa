// The folder that a rehearsal works in: one rehearsal at a time, and never over anything else.
#pragma once

#include "base/path.hpp"
#include "base/sys/lock.hpp"

namespace hearth::bootstrap {

/// Makes `folder`, or empties it of an earlier rehearsal; nobody else gets it as long as the lock lives, in this
/// process or in one that it forked. Throws Error when a rehearsal runs there, and when it holds what is no
/// rehearsal's.
[[nodiscard]] FileLock taken_work_folder(const fs::path& folder);

}  // namespace hearth::bootstrap
