// The resources of a tree of stacks and what comes before what, as DOT and as SVG.
#pragma once

#include <string>

#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// For graphviz: a cluster a stack, an arrow from what is needed to what needs it; what waits for an event is orange.
[[nodiscard]] std::string dot_picture(Stack& root);
/// The same without graphviz: columns by what has to come first, one line a resource.
[[nodiscard]] std::string svg_picture(Stack& root);

}  // namespace hearth::metadata
