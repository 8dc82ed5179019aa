// What a build would make, beside its steps, before it begins: outputs, the disk's size, packages, the network of its
// hooks.
#pragma once

#include <string>

#include "base/cli/tree.hpp"
#include "base/json.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/plan/disk_plan.hpp"
#include "builder/run/kept_steps.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Keys "outputs" (paths), "packages" (phase, name, element, action, conditions), "network" (text), and "disk" (maker,
/// reason, bytes; null where the tree decides) where one is made. Packages for other architectures are left out;
/// conditions that hooks' variables decide stand there as they are. Throws Error for a network that can't be had.
[[nodiscard]] Json plan_details(const ImageRequest& request, const BuildPlan& plan, const DiskPlan& disk);

/// The same as lines for people. Both this and the tree tell of "compared", too, where there is such a text.
[[nodiscard]] std::string plan_details_text(const Json& details);

/// The whole plan for a terminal: elements, steps by phase with what is kept and why the rest runs, packages, outputs.
/// A reason stands at the first step that has it.
[[nodiscard]] cli::TreeNode plan_tree(const BuildPlan& plan, const std::vector<StepForecast>& forecasts,
                                      const UpToDate& done, const Json& details);

}  // namespace hearth::builder
