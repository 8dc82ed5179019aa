// Files into an ext4 file system that mke2fs has just made. What mke2fs -d does, through the same library, but each
// file's blocks are allocated at once (mke2fs goes block by block), directories are written whole (mke2fs reads them
// anew for each name), and the data is copied on all processors: a third of the processor time.
#pragma once

#include <vector>

#include "base/path.hpp"
#include "builder/disk/copy/data_copy.hpp"
#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// Whether fill_ext() knows the features of the file system at `extent` of `image`, and `source` has nothing that is
/// beyond it. Where not, mke2fs -d does it.
[[nodiscard]] bool can_fill_ext(const fs::path& image, const Extent& extent, const fs::path& source);

/// Fills the new, empty file system from the directory `source`: owners, modes, times of modification, hard links,
/// symbolic links, devices, extended attributes and holes. The same bytes for equal trees. Throws Error, of kind input
/// when the tree does not fit; the image is to be thrown away then.
void fill_ext(const fs::path& image, const Extent& extent, const fs::path& source);

/// The same without the data of the files: their places stay holes, and are returned.
[[nodiscard]] std::vector<FilePiece> lay_out_ext(const fs::path& image, const Extent& extent, const fs::path& source);

}  // namespace hearth::builder
