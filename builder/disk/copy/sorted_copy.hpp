// A copy of a tree in which the numbers of inodes and the order of directories follow from the names alone. mkfs.btrfs
// takes both over from the tree that it is given; in a tree that a build left they tell in which order it was made.
#pragma once

#include "base/path.hpp"

namespace hearth::builder {

/// Lives in memory, in a mount of its own; needs the right to mount. Where the tree takes more than half of the memory
/// that is free, it is used as it is.
class SortedCopy {
 public:
  /// `scratch` is an existing directory.
  [[nodiscard]] static SortedCopy of(const fs::path& tree, const fs::path& scratch);
  SortedCopy(SortedCopy&& other) noexcept;
  SortedCopy& operator=(SortedCopy&&) = delete;
  ~SortedCopy();

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  SortedCopy(fs::path path, bool mounted) : path_(std::move(path)), mounted_(mounted) {}
  fs::path path_;
  bool mounted_;
};

/// Unpacks a tar stream into `directory` as it is: owners, modes, times, extended attributes, ACLs, links, holes.
void unpack_tree_stream(int fd, const fs::path& directory);

}  // namespace hearth::builder
