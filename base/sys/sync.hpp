// What has been written already, made durable: a power cut does not take it any more. For what AtomicFile
// (base/sys/file.hpp) does not do: links, directories made elsewhere, files that grow. Everything here throws Error.
#pragma once

#include "base/path.hpp"

namespace hearth {

/// The contents of a file.
void sync_file(const fs::path& file);
/// The names in a directory: what was made, renamed or removed there.
void sync_directory(const fs::path& directory);
/// Everything on the file system that holds `directory`: for trees, before one of them gets its name.
void sync_file_system(const fs::path& directory);

}  // namespace hearth
