// Files of homes that hooks or sources of a plan name and that the sandbox does not show.
#pragma once

#include <string>
#include <vector>

#include "builder/run/build_facts.hpp"

namespace hearth::builder {

/// A text for people of each, with the hook or the source's file that names it.
[[nodiscard]] std::vector<std::string> hidden_places(const FileReader& files, const ImageRequest& request,
                                                     const BuildPlan& plan, const SandboxSpec& spec);

}  // namespace hearth::builder
