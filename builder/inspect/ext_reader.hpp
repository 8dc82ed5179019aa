#pragma once

#include <cstdint>

#include "base/path.hpp"
#include "builder/inspect/file_tree.hpp"

namespace hearth::builder {

/// Reads an ext2, ext3 or ext4 file system that lies at `offset` of a raw image, by libext2fs: no mount, no rights, no
/// guest. Throws Error(input) when it is damaged.
[[nodiscard]] FileTree read_ext(const fs::path& image, std::uint64_t offset);

}  // namespace hearth::builder
