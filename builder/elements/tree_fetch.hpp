// `hearth element fetch`: element trees of others, kept for this user with where they come from. A kept tree is a
// directory of elements; its file .origin.json names source, commit or version, digest and licence, for evidence and
// bundles.
#pragma once

#include <string>

#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {

struct TreeSource {
  std::string source;  ///< "diskimage-builder" (Debian's package), the URL of a git repository, or a directory
  std::string name;    ///< what it is kept as; empty = from the source
  std::string ref;     ///< of git: a branch or tag; of the package: a suite of the host's archive; empty = the default
  std::string below;   ///< where in the source the elements are; empty = looked for
};

struct KeptTree {
  fs::path elements;
  Json origin;
};

inline constexpr const char* k_origin_file = ".origin.json";

/// The kept name of a source: the last part of its path, without ".git".
[[nodiscard]] std::string kept_name(const TreeSource& source);

/// The directory of a tree that holds its elements: `below`, or the first usual place that has some. Throws
/// Error(input).
[[nodiscard]] fs::path elements_in(const FileReader& files, const fs::path& source, const std::string& below);

/// Fetches into `kept` (kept_trees()), in the place of an earlier one of that name. Throws Error.
[[nodiscard]] KeptTree fetch_tree(const TreeSource& source, const fs::path& kept, CommandRunner& runner);

}  // namespace hearth::builder
