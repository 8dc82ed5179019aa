// Metadata that are baked into an image, against what the image has for them: told before anything is built, not by a
// machine's first boot.
#pragma once

#include <vector>

#include "base/sys/file.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/report/finding.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Deployments of groups for which neither hearth-agent nor an element of the image has a hook.
[[nodiscard]] std::vector<Finding> deployments_without_hook(const FileReader& files, const ImageRequest& request,
                                                            const BuildPlan& plan);

}  // namespace hearth::builder
