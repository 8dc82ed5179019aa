// Which parts of a freshly made file system must reach the device that it is copied on.
#pragma once

#include <vector>

#include "base/path.hpp"
#include "builder/disk/placement.hpp"

namespace hearth::builder {

/// Where the file holds data, in order; ranges less than `gap` bytes apart are joined. For a device that reads as zeros
/// elsewhere.
[[nodiscard]] std::vector<Extent> data_ranges(const fs::path& file, std::uint64_t gap);

/// The blocks that an ext file system uses, zeros among them too. For a device full of noise, an encrypted one.
[[nodiscard]] std::vector<Extent> ext_used_ranges(const fs::path& file, std::uint64_t gap);

}  // namespace hearth::builder
