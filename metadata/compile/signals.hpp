// What machines answered, taken into a stack that is compiled again: the static journey goes on without an engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metadata/graph/server_metadata.hpp"

namespace hearth::metadata {

/// `lines` are of the file that `hearth metadata serve --compiled` writes: {"server", "deployment", "id", "signal"}. A
/// signal counts for the deployment whose id it answers, so that answers to what has changed since do not; of several
/// the last. What failed is not learned. Returns a line for each that failed or is passed over. Throws Error: a line
/// that can't be read.
[[nodiscard]] std::vector<std::string> learn_signals(Stack& root, const Endpoints& endpoints, std::string_view lines,
                                                     const std::string& file);

}  // namespace hearth::metadata
