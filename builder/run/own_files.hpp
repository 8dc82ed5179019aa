// NAME.d, which hooks may write to: the builder's own files there must not lead it elsewhere.
#pragma once

#include "base/path.hpp"

namespace hearth::builder {

/// Removes what stands at the builder's own names in NAME.d and is no file: links, which it would follow to write a log
/// or to read a record, and pipes and sockets, at which it would wait for ever. Hooks may have left any of them, also
/// of an earlier build. Throws Error(input) where the directory itself is a link.
void take_back_own_files(const fs::path& directory);

}  // namespace hearth::builder
