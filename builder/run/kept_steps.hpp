// Which steps of a plan would come from layers, before anything runs. Servers are not asked, nor a remote cache.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "builder/run/build_facts.hpp"

namespace hearth::builder {

struct StepForecast {
  std::string label;
  bool is_kept = false;
  std::string why;  ///< it runs, in words
};

/// Of each step of the plan, in order. Makes nothing, neither directories nor records.
[[nodiscard]] std::vector<StepForecast> kept_steps(const ImageRequest& request, const Installation& installation,
                                                   const BuildPlan& plan, const DiskStage& disk);

/// What the result of each step that layers may cover depends on, as far as that is known before a build. Two images
/// with equal ones up to a step have it in common: the second goes on from a layer of the first.
[[nodiscard]] std::vector<std::string> step_keys(ImageRequest request, const Installation& installation,
                                                 const BuildPlan& plan, const DiskStage& disk);

/// Lines for people: how many come from layers, and why the rest runs, steps of one reason together.
[[nodiscard]] std::string kept_steps_text(const std::vector<StepForecast>& steps);

}  // namespace hearth::builder
