// The tree as a SquashFS image, by mksquashfs.
#pragma once

#include <cstdint>

#include "base/sys/process.hpp"

namespace hearth::builder {

/// Writes `target`, which appears complete or not at all, and a link NAME.squashfs to it: upstream's builder writes the
/// one name, its documentation the other. dev, proc and sys are empty; equal trees give equal bytes.
void write_squashfs(const fs::path& tree, const fs::path& target, std::int64_t epoch, CommandRunner& runner);

/// mksquashfs' command line.
[[nodiscard]] std::vector<std::string> squashfs_argv(const fs::path& tree, const fs::path& file, std::int64_t epoch);

}  // namespace hearth::builder
