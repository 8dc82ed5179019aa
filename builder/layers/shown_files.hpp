// Files of the machine that are shown to all hooks of the host (HEARTH_HOST_FILES, host-files, DIB_… that no script
// names), though few steps want them: whether one is an input of a step.
#pragma once

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/layers/read_watch.hpp"

namespace hearth::builder {

/// Whether a step that was watched came to a place: to it, below it, or by a directory above it that it had open.
/// Interpreters list the one that they are started in.
[[nodiscard]] bool came_to(const Reads& reads, const fs::path& place, const fs::path& start_directory);

/// What programs find by themselves: settings in a home, what PATH leads to, and what is the system's, of which no
/// watch tells. `callers`: HOME and PATH.
[[nodiscard]] bool may_be_a_programs(const fs::path& path, const Environment& callers);

}  // namespace hearth::builder
