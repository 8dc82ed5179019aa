// Where Hearth finds its own files: the element tree, the shims and the agent's binary.
#pragma once

#include "base/sys/process.hpp"
#include "builder/hooks/hook_environment.hpp"

namespace hearth::builder {

/// Looks, in this order, at HEARTH_DATA_DIR and at share/hearth beside the executable's directory (in a build tree that
/// leads to the sources). Throws Error(not_found) naming the places when none has an element tree.
[[nodiscard]] Installation find_installation(const Environment& environment, const fs::path& executable);

}  // namespace hearth::builder
