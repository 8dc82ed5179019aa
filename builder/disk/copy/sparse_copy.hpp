#pragma once

#include <cstdint>

#include "base/path.hpp"

namespace hearth::builder {

/// Creates (or empties) a file of `bytes` bytes that holds nothing yet.
void create_sparse_file(const fs::path& path, std::uint64_t bytes);

/// Copies what `from` really holds (not its holes) into `to`, which exists, at `offset` bytes.
void copy_sparse(const fs::path& from, const fs::path& to, std::uint64_t offset);

}  // namespace hearth::builder
