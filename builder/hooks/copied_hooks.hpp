// The hook tree as the build's hooks find it: copied from the elements into one directory.
#pragma once

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/plan/hook_tree.hpp"

namespace hearth::builder {

/// Copies everything to `destination` (must exist) as `cp -a` does: modes, times and links kept.
void copy_hooks(const HookTree& hooks, CommandRunner& runner, const fs::path& destination);

}  // namespace hearth::builder
