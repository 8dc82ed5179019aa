// An element: a directory of hook scripts and data files. Source of the format: diskimage-builder's developer guide.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

struct Element {
  std::string name;
  fs::path path;
  std::vector<std::string> deps;      ///< element-deps, in file order
  std::vector<std::string> provides;  ///< element-provides, in file order
  bool built_in = false;              ///< it comes from Hearth's own tree
  bool fallback = false;              ///< it comes from a tree that is searched behind Hearth's own
};

/// The names in an element-deps or element-provides file: one a line, stripped, blank lines dropped, no comments.
[[nodiscard]] std::vector<std::string> parse_element_names(std::string_view text);

/// Of such a name that somebody meant to comment ("web # for the page"): what stands before the "#"; nothing of others.
[[nodiscard]] std::optional<std::string> name_before_comment(std::string_view line);

}  // namespace hearth::builder
