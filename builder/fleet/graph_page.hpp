// `hearth image plan IMAGE.yaml`: the graph of many images, before anything runs. Pure.
#pragma once

#include <string>

#include "base/cli/tree.hpp"
#include "base/json.hpp"
#include "builder/fleet/step_graph.hpp"

namespace hearth::builder {

/// How many steps there are and how many are distinct; a line an image, in order: what it goes on from, what is its
/// own.
[[nodiscard]] std::string fleet_text(const StepGraph& graph);
/// The same for a terminal: each image below the one that it goes on from.
[[nodiscard]] cli::TreeNode fleet_tree(const StepGraph& graph);
[[nodiscard]] Json fleet_json(const StepGraph& graph);
/// The tree of steps for Graphviz: what several images have in common stands once.
[[nodiscard]] std::string fleet_graph(const StepGraph& graph);

}  // namespace hearth::builder
