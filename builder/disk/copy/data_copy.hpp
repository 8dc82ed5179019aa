// Files' bytes to places in a disk image, on all processors.
#pragma once

#include <cstdint>
#include <vector>

#include "base/path.hpp"
#include "builder/qcow2/raw_disk.hpp"

namespace hearth::builder {

using qcow2::FilePiece;

/// Copies `pieces` (sorted by `to`) into `image`. What is behind a piece's end, up to a whole block of `block_size`
/// bytes, becomes zeros. Throws Error when a file can't be read, or is shorter than its piece, or the image can't be
/// written.
void copy_pieces(const std::vector<FilePiece>& pieces, const fs::path& image, std::uint64_t block_size,
                 unsigned threads);

}  // namespace hearth::builder
