// Files' bytes to places in a disk image, on all processors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

/// A stretch of a file and where it goes. What is behind the file's end, up to a whole block, becomes zeros.
struct CopyPiece {
  const std::string* file = nullptr;  ///< below the root; outlives the copying
  std::uint64_t from = 0;
  std::uint64_t length = 0;
  std::uint64_t to = 0;  ///< in the image
};

/// Copies `pieces` (sorted by `to`) from files below `root` into `image`. Throws Error when a file can't be read, or is
/// shorter than its piece, or the image can't be written.
void copy_pieces(const fs::path& root, const std::vector<CopyPiece>& pieces, const fs::path& image,
                 std::uint64_t block_size, unsigned threads);

}  // namespace hearth::builder
