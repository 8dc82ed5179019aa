// Which parts of a sparse file hold data: what must reach the device that it is copied on.
#pragma once

#include <cstdint>
#include <vector>

#include "base/path.hpp"
#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// Adds a range behind the others; where it begins less than `gap` bytes behind the last one, that one grows.
void join_range(std::vector<Extent>& ranges, Extent range, std::uint64_t gap);

/// Where the file holds data, in order; ranges less than `gap` bytes apart are joined. For a device that reads as zeros
/// elsewhere. Throws Error.
[[nodiscard]] std::vector<Extent> data_ranges(const fs::path& file, std::uint64_t gap);

}  // namespace hearth::builder
