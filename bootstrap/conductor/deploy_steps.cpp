#include "bootstrap/conductor/deploy_steps.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "bootstrap/conductor/bmc_steps.hpp"

namespace hearth::bootstrap {

namespace {

using StepId = std::pair<std::string, std::string>;  ///< interface, step
using StepRows = std::map<StepId, Json>;

constexpr int k_image_priority = 80;
constexpr int k_loader_priority = 60;
constexpr int k_leave_priority = 40;
constexpr std::array<std::string_view, 7> k_core_steps = {
    "deploy",          "write_image",   "prepare_instance_boot",
    "tear_down_agent", "boot_instance", "switch_to_tenant_network",
    "prepare_image"};

StepId id_of(const Json& step) { return {text_in(step, "interface"), text_in(step, "step")}; }

int priority_of(const Json& step) {
  const auto found = step.find("priority");
  return found != step.end() && found->is_number_integer() ? found->get<int>() : 0;
}

bool has_form(const Json& step) {
  return step.is_object() && !text_in(step, "interface").empty() && !text_in(step, "step").empty() &&
         (!step.contains("args") || step["args"].is_object());
}

bool is_core(const StepId& id) {
  return id.first == "deploy" && std::find(k_core_steps.begin(), k_core_steps.end(), id.second) != k_core_steps.end();
}

/// Adds `wished` to `chosen`; what is wrong goes to `faults`.
void choose(const Node& node, const Json& wished, const StepRows& known, StepRows& chosen,
            std::vector<std::string>& faults) {
  std::vector<StepId> seen;
  for (const Json& step : wished) {
    const StepId id = id_of(step);
    const int priority = priority_of(step);
    if (is_core(id)) {
      faults.push_back(cat("deploy step ", id.second,
                           " on interface deploy is a core step and cannot be overridden by "
                           "user steps."));
    } else if (!known.contains(id)) {
      faults.push_back(cat("node does not support this deploy step: ", format_json(step)));
    } else if (std::find(seen.begin(), seen.end(), id) != seen.end()) {
      faults.push_back(
          cat("deploy steps from all deploy templates matching this node's instance traits cannot have "
              "the same interface and step. Duplicate deploy steps for ",
              id.first, ".", id.second));
    } else if (known.at(id).value("bmc", false) && priority > 0 && priority <= k_image_priority) {
      faults.push_back(cat("deploy step ", id.second, " on interface ", id.first, " has the priority ", priority,
                           ": the machine is restarted by it, which is before its image only (above ", k_image_priority,
                           ")"));
    } else if (priority > 0 && priority <= k_leave_priority) {
      faults.push_back(cat("deploy step ", id.second, " has the priority ", priority, ": from ", k_leave_priority,
                           " on the agent, which is to run it, has left"));
    } else if (priority > 0) {
      const bool bmc = known.at(id).value("bmc", false);
      const std::string fault =
          bmc ? bmc_step_fault(node, "deploy", step) : arguments_fault("deploy", step, known.at(id));
      if (!fault.empty()) faults.push_back(fault);
    }
    seen.push_back(id);
    chosen[id] = step;
  }
}

std::string_view slot_of(int priority) {
  if (priority > k_image_priority) return name(Stage::first_steps);
  return name(priority > k_loader_priority ? Stage::image_steps : Stage::last_steps);
}

}  // namespace

std::string asked_form_fault(std::string_view key, const Json& asked) {
  if (!asked.is_array()) return cat(key, " is to be a list");
  for (const Json& step : asked) {
    if (!has_form(step)) {
      return cat("Invalid step in ", key, ": ", format_json(step),
                 ": interface and step are needed; args is an object");
    }
  }
  return "";
}

std::string steps_fault(const Json& asked) {
  if (asked.is_null()) return "";
  if (!asked.is_array()) return "deploy_steps is to be a list";
  for (const Json& step : asked) {
    const bool good =
        has_form(step) && step.contains("priority") && step["priority"].is_number_integer() && priority_of(step) >= 0;
    if (!good) {
      return cat("Invalid deploy step ", format_json(step),
                 ": interface, step and priority (a number from 0) are needed; args is an object");
    }
  }
  return "";
}

StepPlan plan_steps(const Node& node, const Json& offered, const std::vector<Json>& templates, const Json& asked) {
  StepRows known;
  StepRows chosen;
  for (const Json& step : offered) {
    known[id_of(step)] = step;
    if (priority_of(step) > k_leave_priority && !is_core(id_of(step))) chosen[id_of(step)] = step;
  }
  Json of_templates = Json::array();
  std::vector<std::string> names;
  for (const Json& one : templates) {
    names.push_back(text_in(one, "name"));
    for (const Json& step : one.value("steps", Json::array())) of_templates.push_back(step);
  }
  StepPlan plan;
  std::vector<std::string> faults;
  choose(node, of_templates, known, chosen, faults);
  if (!faults.empty()) {
    plan.fault =
        cat("Validation of deploy steps from deploy templates matching this node's instance traits failed. "
            "Matching deploy templates: ",
            join(names, ","), ". Errors: ", join(faults, "; "));
    return plan;
  }
  choose(node, asked.is_array() ? asked : Json::array(), known, chosen, faults);
  if (!faults.empty()) {
    plan.fault = cat("Validation of deploy steps from \"deploy steps\" argument failed.", join(faults, "; "));
    return plan;
  }
  std::vector<Json> order;
  for (const auto& [id, step] : chosen) {
    if (priority_of(step) > 0) order.push_back(step);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Json& a, const Json& b) { return priority_of(a) > priority_of(b); });
  for (const Json& step : order) plan.steps[std::string(slot_of(priority_of(step)))].push_back(step);
  return plan;
}

}  // namespace hearth::bootstrap
