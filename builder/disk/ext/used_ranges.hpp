// Which blocks of a freshly made ext file system must reach the device that it is copied on.
#pragma once

#include <vector>

#include "base/path.hpp"
#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// The blocks that an ext file system uses, zeros among them too. For a device full of noise, an encrypted one.
[[nodiscard]] std::vector<Extent> ext_used_ranges(const fs::path& file, std::uint64_t gap);

}  // namespace hearth::builder
