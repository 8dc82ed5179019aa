// NAME.d, which holds the builder's own files and those of hooks: its own must not lead it elsewhere.
#pragma once

#include <string_view>

#include "base/path.hpp"

namespace hearth::builder {

/// Whether a file of this name in NAME.d is the builder's.
[[nodiscard]] bool is_own(std::string_view name);

/// Removes what stands at the builder's own names in NAME.d and is no file: links, which it would follow to write a log
/// or to read a record, and pipes and sockets, at which it would wait for ever. Somebody may have left any of them, an
/// earlier Hearth's hooks, too. Throws Error(input) where the directory itself is a link.
void take_back_own_files(const fs::path& directory);

}  // namespace hearth::builder
