// Files that are replaced together.
#pragma once

#include <vector>

#include "base/sys/file.hpp"

namespace hearth {

/// The data must outlive the call it is given to.
struct FileToWrite {
  fs::path path;
  std::string_view data;
  FileAttributes attributes;
};

/// Replaces each file atomically, in order, on the real disk, once those are there that nobody had before. All are
/// complete and synced, with room for their names, before the first is replaced: when one can't be written, none is,
/// and many files cost little more waiting than one. A kill may leave hidden names behind. Throws Error.
void write_together(const std::vector<FileToWrite>& files);

}  // namespace hearth
