#include "bootstrap/conductor/deploy_steps.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"

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

bool is_core(const StepId& id) {
  return id.first == "deploy" && std::find(k_core_steps.begin(), k_core_steps.end(), id.second) != k_core_steps.end();
}

/// Of one step that the agent knows.
void check_arguments(const std::string& kind, const Json& step, const Json& known, std::vector<std::string>& faults) {
  const Json info = known.value("argsinfo", Json());
  if (!info.is_object()) return;  // this agent tells nothing of them: it checks them itself
  const Json arguments = step.value("args", Json::object());
  std::vector<std::string> unexpected;
  std::vector<std::string> missing;
  for (const auto& [name, value] : arguments.items()) {
    if (!info.contains(name)) unexpected.push_back(name);
  }
  for (const auto& [name, about] : info.items()) {
    if (about.is_object() && about.value("required", false) && !arguments.contains(name)) missing.push_back(name);
  }
  const std::string shown = format_json(step);
  if (!unexpected.empty())
    faults.push_back(cat(kind, " step ", shown, " has these unexpected arguments: ", join(unexpected, ", ")));
  if (!missing.empty())
    faults.push_back(cat(kind, " step ", shown, " is missing these required arguments: ", join(missing, ", ")));
}

std::string settings_fault(const std::string& kind, const Json& step) {
  return cat(kind, " step ", format_json(step), ": settings is a list of {name, value}");
}

/// Adds `wished` to `chosen`; what is wrong goes to `faults`.
void choose(const Json& wished, const StepRows& known, StepRows& chosen, std::vector<std::string>& faults) {
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
      faults.push_back(cat("deploy step ", id.second, " on interface bios has the priority ", priority,
                           ": the machine is restarted by it, which is before its image only (above ", k_image_priority,
                           ")"));
    } else if (priority > 0 && priority <= k_leave_priority) {
      faults.push_back(cat("deploy step ", id.second, " has the priority ", priority, ": from ", k_leave_priority,
                           " on the agent, which is to run it, has left"));
    } else if (priority > 0) {
      check_arguments("deploy", step, known.at(id), faults);
      if (known.at(id).value("bmc", false) && text_in(step, "step") == "apply_configuration" &&
          bios_wishes(step).empty())
        faults.push_back(settings_fault("deploy", step));
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

Json bmc_steps(const PowerDriver* driver) {
  if (driver == nullptr || !driver->changes_bios()) return Json::array();
  const Json settings = {{"description", "A list of BIOS settings to be applied"}, {"required", true}};
  const auto row = [](const char* step, const Json& arguments) {
    return Json{{"interface", "bios"}, {"step", step}, {"priority", 0}, {"argsinfo", arguments}, {"bmc", true}};
  };
  return Json::array({row("apply_configuration", {{"settings", settings}}), row("factory_reset", Json::object())});
}

bool is_bmc_step(const PowerDriver* driver, const Json& step) {
  const Json known = bmc_steps(driver);
  return std::any_of(known.begin(), known.end(), [&](const Json& row) { return id_of(row) == id_of(step); });
}

std::string bmc_step_fault(const PowerDriver* driver, const std::string& kind, const Json& step) {
  std::vector<std::string> faults;
  for (const Json& known : bmc_steps(driver)) {
    if (id_of(known) == id_of(step)) check_arguments(kind, step, known, faults);
  }
  if (faults.empty() && text_in(step, "step") == "apply_configuration" && bios_wishes(step).empty())
    faults.push_back(settings_fault(kind, step));
  return join(faults, "; ");
}

Json bios_wishes(const Json& step) {
  Json wishes = Json::object();
  const Json arguments = member_or_null(step, "args");
  for (const Json& row : list_member(arguments, "settings")) {
    const std::string name = text_in(row, "name");
    if (name.empty() || !row.contains("value") || row["value"].is_structured()) return Json::object();
    wishes[name] = row["value"];
  }
  return wishes;
}

std::string steps_fault(const Json& asked) {
  if (asked.is_null()) return "";
  if (!asked.is_array()) return "deploy_steps is to be a list";
  for (const Json& step : asked) {
    const bool good = step.is_object() && !text_in(step, "interface").empty() && !text_in(step, "step").empty() &&
                      step.contains("priority") && step["priority"].is_number_integer() && priority_of(step) >= 0 &&
                      (!step.contains("args") || step["args"].is_object());
    if (!good) {
      return cat("Invalid deploy step ", format_json(step),
                 ": interface, step and priority (a number from 0) are needed; args is an object");
    }
  }
  return "";
}

StepPlan plan_steps(const Json& offered, const std::vector<Json>& templates, const Json& asked) {
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
  choose(of_templates, known, chosen, faults);
  if (!faults.empty()) {
    plan.fault =
        cat("Validation of deploy steps from deploy templates matching this node's instance traits failed. "
            "Matching deploy templates: ",
            join(names, ","), ". Errors: ", join(faults, "; "));
    return plan;
  }
  choose(asked.is_array() ? asked : Json::array(), known, chosen, faults);
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
