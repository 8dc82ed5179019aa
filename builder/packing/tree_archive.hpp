// The tree as tar, by libarchive: pax format, sorted, numeric owners, whole seconds, extended attributes, ACLs,
// capabilities, hard links, holes; dev, proc and sys empty. Equal trees give equal bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/path.hpp"

namespace hearth::builder {

enum class Compression { none, gzip, zstd };

struct ArchiveOptions {
  Compression compression = Compression::none;
  std::int64_t epoch = 0;    ///< times later than this become this
  std::string prefix = ".";  ///< directory in the archive that stands for the tree's root
  fs::path manifest;         ///< a file to be added as "manifest"; empty = none
  bool whole = false;        ///< what is below dev, proc and sys goes in, too
  /// Of a tree in several archives: whether this one holds the entry, by its name below the root ("" for that). What is
  /// below a directory that it doesn't hold is left out, too. Empty = it holds all.
  std::function<bool(const std::string& name)> holds = {};
  bool bare_directories = false;  ///< they have no time of their own: a later archive says it
};

/// Writes `target`, which appears complete or not at all. Sockets are left out.
void write_tree_archive(const fs::path& tree, const fs::path& target, const ArchiveOptions& options);
/// The same into a descriptor, a pipe for one; it stays open.
void stream_tree_archive(const fs::path& tree, int fd, const ArchiveOptions& options);
inline void write_tree_archive(const fs::path& tree, const fs::path& target, Compression compression,
                               std::int64_t epoch) {
  write_tree_archive(tree, target, {.compression = compression, .epoch = epoch, .prefix = ".", .manifest = {}});
}

}  // namespace hearth::builder
