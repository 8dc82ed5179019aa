#pragma once

#include "base/path.hpp"
#include "builder/inspect/file_tree.hpp"

namespace hearth::builder {

/// Reads an archive of any kind that libarchive knows (tar, compressed or not, cpio, zip) as a stream. Extended
/// attributes, ACLs, capabilities and hard links are kept. Throws Error(input) for what is damaged, and for entries
/// that lead out of the tree: a ".." in a name.
[[nodiscard]] FileTree read_archive(int fd, const std::string& name);
[[nodiscard]] FileTree read_archive(const fs::path& file);

}  // namespace hearth::builder
