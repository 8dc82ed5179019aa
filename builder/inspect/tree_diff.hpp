// How two trees differ: packages, files that are in one only, kinds, modes, owners, contents, attributes. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "builder/inspect/file_tree.hpp"

namespace hearth::builder {

struct PackageChange {
  std::string name;
  std::string before;  ///< version; empty = not there
  std::string after;
  bool operator==(const PackageChange&) const = default;
};

struct FileChange {
  std::string path;
  std::vector<std::string> what;  ///< "added", "removed", or "mode 0644 → 0600", "content", "owner 0:0 → 1:1"…
  bool operator==(const FileChange&) const = default;
};

struct TreeDiff {
  std::vector<PackageChange> packages;
  std::vector<FileChange> files;
  [[nodiscard]] bool empty() const { return packages.empty() && files.empty(); }
};

struct DiffOptions {
  bool times = false;                ///< modification times count, too
  std::vector<std::string> without;  ///< paths whose trees are left out
};

[[nodiscard]] TreeDiff diff_trees(const FileTree& before, const FileTree& after, const DiffOptions& options);
/// How much differs, then a line each; nothing where nothing does. What is below a directory that is in one tree only
/// is counted, not listed, unless `whole`.
[[nodiscard]] std::string diff_text(const TreeDiff& diff, bool whole);
[[nodiscard]] Json diff_json(const TreeDiff& diff);

}  // namespace hearth::builder
