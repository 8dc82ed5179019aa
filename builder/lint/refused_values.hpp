// Values of variables that a build would refuse once it has begun: what environment.d of Hearth's own elements says of
// them, and what debootstrap's hook does. Where other elements set variables too, only a build knows.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/report/finding.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Errors. `known` are what was found to be good before; what this call finds is added.
[[nodiscard]] std::vector<Finding> refused_values(const FileReader& files, const ImageRequest& request,
                                                  const BuildPlan& plan, CommandRunner& runner,
                                                  std::vector<std::string>& known);

}  // namespace hearth::builder
