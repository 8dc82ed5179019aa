#include "bootstrap/conductor/flow.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/conductor/image_order.hpp"

namespace hearth::bootstrap {

namespace {

using enum Stage;

std::vector<Stage> deploy_flow(const Node& node) {
  std::vector<Stage> flow = {check, power_off, boot_network, power_on, await_agent, get_steps};
  const auto add_steps = [&](Stage stage) {
    if (!steps_of(stage, node).empty()) flow.push_back(stage);
  };
  add_steps(first_steps);
  flow.push_back(write_image);
  if (is_partition_image(node)) flow.push_back(partition_ids);
  add_steps(image_steps);
  if (node.boots_uefi() || is_partition_image(node)) flow.push_back(bootloader);
  add_steps(last_steps);
  if (leaves_by_reboot(node)) {
    flow.insert(flow.end(), {boot_disk, leave, finish});
  } else {
    flow.insert(flow.end(), {leave, await_off, boot_disk, start_disk, finish});
  }
  return flow;
}

}  // namespace

JobKind kind_of_work(Verb verb) {
  switch (verb) {
    case Verb::manage: return JobKind::verify;
    case Verb::provide: return JobKind::clean;
    case Verb::clean: return JobKind::clean_manual;
    case Verb::rebuild: return JobKind::deploy;
    default: return parse_job_kind(name(verb)).value_or(JobKind::none);
  }
}

std::vector<Stage> flow_of(JobKind kind, const Node& node, bool automated) {
  if (kind == JobKind::verify) return {verify, finish};
  if (kind == JobKind::deploy) return deploy_flow(node);
  if (kind == JobKind::clean && !automated) return {finish};
  if (kind == JobKind::clean_manual && node.job.arguments.value("disable_ramdisk", false)) return {finish};
  if (kind == JobKind::clean || kind == JobKind::clean_manual) {
    return {power_off, boot_network, power_on, await_agent, get_steps, run_steps, leave, await_off, finish};
  }
  // Whoever asked starts the machine, and leaves it as it likes.
  if (kind == JobKind::inspect && !node.job.arguments.value("manage_boot", true)) return {await_data, finish};
  if (kind == JobKind::inspect) return {power_off, boot_network, power_on, await_data, switch_off, finish};
  if (kind == JobKind::undeploy) return {power_off, wipe, finish};
  if (kind == JobKind::adopt) return {check, verify, finish};
  if (kind == JobKind::rescue) return {power_off, boot_network, power_on, await_agent, finalize_rescue, finish};
  if (kind == JobKind::unrescue) return {power_off, boot_disk, start_disk, finish};
  if (kind == JobKind::service) {
    return {power_off, boot_network, power_on,  await_agent, get_steps, run_steps,
            leave,     await_off,    boot_disk, start_disk,  finish};
  }
  return {finish};
}

Stage next_stage(const std::vector<Stage>& flow, Stage stage) {
  const auto found = std::find(flow.begin(), flow.end(), stage);
  return found == flow.end() || found + 1 == flow.end() ? finish : *(found + 1);
}

bool is_steps(Stage stage) {
  return stage == run_steps || stage == first_steps || stage == image_steps || stage == last_steps;
}

Json steps_of(Stage stage, const Node& node) {
  if (stage == run_steps) return node.job.notes.steps;
  return node.job.notes.plan.value(std::string(name(stage)), Json::array());
}

Json current_step(Stage stage, const Node& node) {
  const Json steps = steps_of(stage, node);
  return node.job.notes.step < steps.size() ? steps[node.job.notes.step] : Json();
}

std::string step_kind(JobKind kind) {
  return std::string(name(kind == JobKind::service || kind == JobKind::deploy ? kind : JobKind::clean));
}

bool is_wait(Stage stage) { return stage == await_agent || stage == await_data; }

bool needs_agent(Stage stage) {
  return stage == get_steps || stage == write_image || stage == partition_ids || is_steps(stage) ||
         stage == bootloader || stage == finalize_rescue || stage == leave;
}

bool boots_ramdisk(Stage stage) {
  return stage == boot_network || stage == power_on || is_wait(stage) || (needs_agent(stage) && stage != leave);
}

std::string Order::short_name() const {
  const std::size_t dot = command.find('.');
  return dot == std::string::npos ? command : command.substr(dot + 1);
}

bool leaves_by_reboot(const Node& node) {
  const std::string wish = node.info("manual_agent_reboot", text_in(node.extra, "agent_reboot"));
  return wish == "true" || wish == "True" || wish == "1";
}

namespace {

Json target_boot_mode(const Node& node) { return node.boots_uefi() ? "uefi" : "bios"; }

/// What the agent told of the partitions that it made; null for a whole disk.
Json partition_id(const Node& node, const char* key) {
  const Json& ids = node.job.notes.partition_ids;
  return ids.is_object() && ids.contains(key) ? ids[key] : Json(nullptr);
}

std::string steps_command(JobKind kind, bool execute) {
  const std::string extension = step_kind(kind);
  return execute ? cat(extension, ".execute_", extension, "_step") : cat(extension, ".get_", extension, "_steps");
}

Order step_order(Stage stage, const Node& node, Json params) {
  const Json step = current_step(stage, node);
  params["step"] = step.is_null() ? Json::object() : step;
  params[step_kind(node.job.kind) + "_version"] = node.internal.value("hardware_manager_version", Json::object());
  return {steps_command(node.job.kind, true), std::move(params), false, false};
}

}  // namespace

Order order_of(Stage stage, const Node& node, const Json& shown, const Json& ports) {
  Json params = {{"node", shown}, {"ports", ports}};
  switch (stage) {
    case get_steps: return {steps_command(node.job.kind, false), std::move(params), true, false};
    case write_image: {
      const Json drive = node.instance_info.value("configdrive", Json());
      params["step"] = {{"interface", "deploy"},
                        {"step", "write_image"},
                        {"args", {{"image_info", image_info(node)}, {"configdrive", drive}}}};
      params["deploy_version"] = node.internal.value("hardware_manager_version", Json::object());
      return {"deploy.execute_deploy_step", std::move(params), false, false};
    }
    case partition_ids: return {"standby.get_partition_uuids", Json::object(), true, false};
    case run_steps:
    case first_steps:
    case image_steps:
    case last_steps: return step_order(stage, node, std::move(params));
    case bootloader:
      return {"image.install_bootloader",
              {{"root_uuid", partition_id(node, "root uuid")},
               {"efi_system_part_uuid", partition_id(node, "efi system partition uuid")},
               {"prep_boot_part_uuid", partition_id(node, "PReP Boot partition uuid")},
               {"target_boot_mode", target_boot_mode(node)}},
              false,
              false};
    case finalize_rescue:
      return {"rescue.finalize_rescue",
              {{"rescue_password", text_in(node.job.arguments, "rescue_password")}, {"hashed", true}},
              true,
              false};
    case leave:
      return {leaves_by_reboot(node) ? "standby.run_image" : "standby.power_off", Json::object(), false, true};
    default: return {};
  }
}

const Json* find_order(const Json& commands, const Order& order) {
  const Json* found = nullptr;
  const Json wanted = order.params.is_object() ? order.params.value("step", Json()) : Json();
  const std::string interface = text_in(wanted, "interface");
  for (const Json& row : commands) {
    if (text_in(row, "command_name") != order.short_name()) continue;
    const Json params = row.value("command_params", Json());
    const Json told = params.is_object() ? params.value("step", wanted) : wanted;
    const bool same =
        text_in(told, "step") == text_in(wanted, "step") &&
        text_in(told, "interface", interface) == interface;  // raid and bios both have an apply_configuration
    if (wanted.is_null() || same) found = &row;
  }
  return found;
}

}  // namespace hearth::bootstrap
