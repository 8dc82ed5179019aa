// From a finished request to the plan of its build: which elements, in which order, and all their steps. Nothing of the
// machine is touched; what can be refused of elements is refused here.
#pragma once

#include <string>
#include <vector>

#include "builder/plan/build_plan.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Resolves the elements of a request, which may be `built_in` ones of Hearth, and plans the build. Notes about
/// overridden elements go to `notes`.
[[nodiscard]] BuildPlan plan_image(const FileReader& files, const ImageRequest& request, const fs::path& built_in,
                                   std::vector<std::string>& notes);

}  // namespace hearth::builder
