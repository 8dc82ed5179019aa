// Where the bytes of a system are: by directory, and by package. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/json.hpp"
#include "builder/inspect/file_tree.hpp"

namespace hearth::builder {

struct TreeSizes {
  std::uint64_t bytes = 0;  ///< of all files
  std::size_t files = 0;
  std::map<std::string, std::uint64_t> directories;  ///< with all below them, three levels deep; "" is the whole
  std::map<std::string, std::uint64_t> packages;     ///< by dpkg's lists of files; "" is what no package owns
};

[[nodiscard]] TreeSizes tree_sizes(const FileTree& tree);

/// The largest rows of each, at most `rows`.
[[nodiscard]] std::string sizes_text(const TreeSizes& sizes, std::size_t rows);
[[nodiscard]] Json sizes_json(const TreeSizes& sizes);

/// What has grown and shrunk, the largest change first.
[[nodiscard]] std::string sizes_difference_text(const TreeSizes& before, const TreeSizes& after, std::size_t rows);
[[nodiscard]] Json sizes_difference_json(const TreeSizes& before, const TreeSizes& after);

}  // namespace hearth::builder
