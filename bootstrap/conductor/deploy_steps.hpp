// The steps of a deployment that somebody asks for beside ours: by deploy templates, by the request, or by the agent's
// own priorities. As Ironic's conductor/steps.py has it. Pure.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/conductor/flow.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

/// What is wrong with the form of a request's deploy_steps; empty when nothing is.
[[nodiscard]] std::string steps_fault(const Json& asked);

/// Those of a node's BMC, in the form in which agents offer theirs: Ironic's interface bios, where the driver has it.
[[nodiscard]] Json bmc_steps(const PowerDriver* driver);
[[nodiscard]] bool is_bmc_step(const PowerDriver* driver, const Json& step);
/// What is wrong with such a step; empty when nothing is. `kind`: clean, deploy, service.
[[nodiscard]] std::string bmc_step_fault(const PowerDriver* driver, const std::string& kind, const Json& step);
/// The settings that such a step asks for, by name: of apply_configuration; else none.
[[nodiscard]] Json bios_wishes(const Json& step);

/// Where steps go by their priority: ours are write_image (80), the boot loader (60), and the agent's leave (40).
struct StepPlan {
  Json steps = Json::object();  ///< name(stage) → those of first_steps, image_steps and last_steps, in their order
  std::string fault;            ///< in Ironic's words; then there are none
};

/// `offered` are the agent's steps, `templates` the records of those that instance_info's traits name, `asked` the
/// request's. A priority of 0 leaves a step out; the request's stands in for a template's, and both for the agent's.
[[nodiscard]] StepPlan plan_steps(const Json& offered, const std::vector<Json>& templates, const Json& asked);

}  // namespace hearth::bootstrap
