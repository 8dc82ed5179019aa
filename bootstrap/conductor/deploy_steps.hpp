// The steps of a deployment that somebody asks for beside ours: by deploy templates, by the request, or by the agent's
// own priorities. As Ironic's conductor/steps.py has it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/conductor/flow.hpp"

namespace hearth::bootstrap {

/// What is wrong with the form of a request's clean_steps or service_steps (`key`); empty when nothing is.
[[nodiscard]] std::string asked_form_fault(std::string_view key, const Json& asked);
/// Likewise with its deploy_steps.
[[nodiscard]] std::string steps_fault(const Json& asked);

/// Where steps go by their priority: ours are write_image (80), the boot loader (60), and the agent's leave (40).
struct StepPlan {
  Json steps = Json::object();  ///< name(stage) → those of first_steps, image_steps and last_steps, in their order
  std::string fault;            ///< in Ironic's words; then there are none
};

/// `offered` are the agent's and the BMC's (bmc_steps.hpp) steps, `templates` the records of those that instance_info's
/// traits name, `asked` the request's. A priority of 0 leaves a step out; the request's stands in for a template's, and
/// both for the agent's.
[[nodiscard]] StepPlan plan_steps(const Node& node, const Json& offered, const std::vector<Json>& templates,
                                  const Json& asked);

}  // namespace hearth::bootstrap
