// The tree as tar or tgz: pax format, sorted, numeric owners, whole seconds, extended attributes; dev, proc and sys
// empty. Equal trees give equal bytes.
#pragma once

#include <cstdint>

#include "base/path.hpp"

namespace hearth::builder {

enum class Compression { none, gzip };

/// Writes `target`, which appears complete or not at all. Times later than `epoch` become `epoch`. Sockets are left
/// out.
void write_tree_archive(const fs::path& tree, const fs::path& target, Compression compression, std::int64_t epoch);

}  // namespace hearth::builder
