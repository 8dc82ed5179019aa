// Every stack of the tree with all that is known of it: for a look, and for comparing with Heat.
#pragma once

#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// {"parameters": {…}, "resources": {NAME: {"type", "properties", "typed", "metadata", "requires", "ref", "nested"}},
/// "outputs": {…}}; what is wrong is {"error": TEXT} in its place, what waits {"hearth::waiting": […]}.
[[nodiscard]] Value resolved_stack(Stack& stack);

}  // namespace hearth::metadata
