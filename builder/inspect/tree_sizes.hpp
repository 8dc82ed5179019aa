// Where the bytes of a system are: by directory, by package, and by what of its build wrote them. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "builder/inspect/file_tree.hpp"

namespace hearth::builder {

/// Who wrote a file last: what a build that is recorded leaves beside its image.
struct FileWriter {
  std::string step;
  std::string element;
  std::uint64_t size = 0;  ///< that the file had; one of another size is another file
};
using FileWriters = std::map<std::string, FileWriter>;  ///< by path

/// What elements asked for, in their order: package and element; "" is the command line (-p).
using PackageAskers = std::vector<std::pair<std::string, std::string>>;

struct TreeSizes {
  std::uint64_t bytes = 0;  ///< of all files
  std::size_t files = 0;
  std::map<std::string, std::uint64_t> directories;  ///< with all below them, three levels deep; "" is the whole
  std::map<std::string, std::uint64_t> packages;     ///< by dpkg's lists of files; "" is what no package owns
  std::map<std::string, std::uint64_t> askers;       ///< elements, with what their packages depend on; empty: unknown
  std::map<std::string, std::uint64_t> elements;     ///< of whose steps; both empty where no writer is known
  std::map<std::string, std::uint64_t> steps;
};

[[nodiscard]] TreeSizes tree_sizes(const FileTree& tree, const FileWriters& writers = {},
                                   const PackageAskers& asked = {});

/// The largest rows of each, at most `rows`.
[[nodiscard]] std::string sizes_text(const TreeSizes& sizes, std::size_t rows);
[[nodiscard]] Json sizes_json(const TreeSizes& sizes);

/// What has grown and shrunk, the largest change first.
[[nodiscard]] std::string sizes_difference_text(const TreeSizes& before, const TreeSizes& after, std::size_t rows);
[[nodiscard]] Json sizes_difference_json(const TreeSizes& before, const TreeSizes& after);

}  // namespace hearth::builder
