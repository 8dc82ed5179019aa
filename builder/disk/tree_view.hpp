// TreeView: a directory tree as one file system of an image sees it: without what lies below the other mount points.
// It is a private bind mount with an empty tmpfs over each of them, so it costs nothing and copies nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

class TreeView {
 public:
  /// `tree` with the directories `hidden` (relative to it, parents first) shown empty, but with their own mode, owner
  /// and time. Needs a mount namespace of its own with the rights to mount in it, unless `hidden` is empty. The mounts
  /// lie below `scratch`.
  [[nodiscard]] static TreeView create(const fs::path& tree, const std::vector<fs::path>& hidden,
                                       const fs::path& scratch);
  TreeView(TreeView&& other) noexcept : path_(std::move(other.path_)), mounted_(std::exchange(other.mounted_, false)) {}
  TreeView& operator=(TreeView&&) = delete;
  ~TreeView();

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  TreeView(fs::path path, bool mounted) : path_(std::move(path)), mounted_(mounted) {}
  fs::path path_;
  bool mounted_ = false;
};

}  // namespace hearth::builder
