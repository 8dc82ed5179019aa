// Many images as one work: their steps form a graph in which what several have in common is done once, and they are
// built side by side, each by a process of its own, as processors and memory allow.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "builder/fleet/step_graph.hpp"
#include "builder/plan/disk_plan.hpp"
#include "builder/run/image_build.hpp"

namespace hearth::builder {

struct FleetImage {
  ImageRequest request;
  std::string name;
  std::string place;         ///< file:line:column of its description
  std::string command_line;  ///< that would build it alone
  std::string checks = {};   ///< a file for `hearth image test`; empty = none
  std::string publish = {};  ///< the file that `hearth image publish` is to write; empty = none
};

struct FleetOptions {
  std::optional<std::size_t> jobs;      ///< how many builds at once; nothing = as many as there are processors
  std::optional<std::uint64_t> memory;  ///< bytes for all work areas; nothing = what is free
  bool stop_on_failure = false;         ///< no further image is begun when one has failed
  fs::path junit;                       ///< a report to write; empty = none
  std::string suite;                    ///< its name
};

/// Steps of all images, in their order. What is wrong with an image's elements is told when it is built: such a one has
/// no steps here. `each` is shown every plan, and may add to what is known of the image.
using OfPlan = std::function<void(const FleetImage&, const BuildPlan&, const DiskPlan&, ImageSteps&)>;
[[nodiscard]] StepGraph plan_fleet(const std::vector<FleetImage>& images, const Installation& installation,
                                   const OfPlan& each = {});

/// Builds them. Returns the exit code (exit_code_of()). Throws Error(interrupted) when a signal came, after all have
/// ended; Error before anything is built for images that would write the same files, or a report that can't be written.
int build_fleet(const std::vector<FleetImage>& images, const Installation& installation, const FleetOptions& options,
                Verbosity verbosity);

/// Throws Error(input), with both places, for two images of one output.
void require_own_outputs(const std::vector<FleetImage>& images);

}  // namespace hearth::builder
