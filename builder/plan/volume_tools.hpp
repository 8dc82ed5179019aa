// Programs that a system opens the volumes of its disks by, when it starts: an image without them is made without a
// fault, and doesn't boot.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/disk/layout/layout.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

/// Packages that the layout's arrays, encrypted and logical volumes need, where no file of an element, none of
/// `packages` (-p) and no variable DIB_… has their name.
[[nodiscard]] std::vector<Finding> missing_volume_tools(const FileReader& files, const BuildPlan& plan,
                                                        const std::vector<std::string>& packages,
                                                        const Environment& environment, const DiskLayout& layout);

}  // namespace hearth::builder
