// The graph of element-deps as a picture: for Graphviz, as an indented tree, as JSON. It shows what the files say,
// without asking whether an image could be built: an operating system need not be in it, and unknown names are shown as
// such.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "builder/elements/catalog.hpp"

namespace hearth::builder {

struct DependencyGraph {
  struct Node {
    bool known = true;                   ///< an element of the catalog; else only a name that somebody needs
    std::vector<std::string> deps;       ///< as the file has them
    std::vector<std::string> providers;  ///< elements that provide this name
  };
  std::vector<std::string> roots;
  std::map<std::string, Node> nodes;
};

/// Everything that `roots` need, directly or not. Throws Error(input) for a root that is neither an element nor
/// provided by one.
[[nodiscard]] DependencyGraph dependency_graph(const Catalog& catalog, const std::vector<std::string>& roots);

/// Graphviz' dot language; needed names that only others provide are dashed, unknown ones red.
[[nodiscard]] std::string graph_dot(const DependencyGraph& graph);
/// Two blanks a level; what was shown before is marked "…", a cycle "(cycle)".
[[nodiscard]] std::string graph_tree(const DependencyGraph& graph);

/// Each cycle once, as a -> b -> a, beginning with its first name in the alphabet.
[[nodiscard]] std::vector<std::vector<std::string>> find_cycles(const DependencyGraph& graph);

}  // namespace hearth::builder
