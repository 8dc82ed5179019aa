// The pass over an XFS that mkfs.xfs filled from a prototype: what the prototype couldn't tell is put right, and what
// mkfs.xfs takes from the clock is fixed. The same tree gives the same bytes.
#pragma once

#include "builder/disk/xfs/xfs_tree.hpp"

namespace hearth::builder {

/// Owners, modes, times (that of the last change, never later than `epoch`), extended attributes, hard links, names and
/// targets that were told by stand-ins. `file` holds the file system alone.
void finish_xfs(const fs::path& file, const XfsNode& root, std::int64_t epoch);

}  // namespace hearth::builder
