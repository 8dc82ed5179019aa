// Room for what is written to NAME.d when the outputs are there already: with a disk that runs full, a build is to end
// while the earlier outputs and their evidence are as they were.
#pragma once

#include <cstdint>
#include <string>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder {

/// What the evidence of a tree may take, going by what lies there of the last build.
[[nodiscard]] std::uint64_t evidence_bytes(const fs::path& directory, std::uint64_t files_of_tree, bool is_recorded);

/// Takes that much of the disk until the descriptor goes; it has no name. Empty where the file system can't. Throws
/// Error, naming `outputs`, when there is not so much.
[[nodiscard]] Fd reserve_room(const fs::path& directory, std::uint64_t bytes, const std::string& outputs);

}  // namespace hearth::builder
