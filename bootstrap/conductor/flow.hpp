// The way of each kind of work through its stages, and what a stage orders from the agent. Pure.
//
// A job is a straight list of stages. The stage that a node has reached is durable before anything is done for it, and
// each can be begun again: that is how a killed daemon goes on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

enum class Stage {
  check,   ///< everything needed is known and fits
  verify,  ///< the power management answers
  power_off,
  boot_network,  ///< the next start is from the network
  power_on,
  await_agent,  ///< until the deploy ramdisk calls back
  await_data,   ///< until the inspection's result comes in
  get_steps,    ///< which steps the agent knows
  first_steps,  ///< further steps of a deployment (conductor/deploy_steps.hpp): before its image
  write_image,
  partition_ids,  ///< what the agent made for a partition image
  run_steps,      ///< cleaning and service steps, one after the other
  image_steps,    ///< further ones behind the image
  bootloader,     ///< UEFI boot entries; for a partition image its own boot loader
  last_steps,     ///< further ones before the agent leaves
  finalize_rescue,
  leave,  ///< the agent switches the machine off, or restarts it
  await_off,
  boot_disk,  ///< starts are from the disk from now on
  start_disk,
  switch_off,  ///< at the end, as power_off
  wipe,        ///< what belonged to the instance is forgotten
  finish,
};

[[nodiscard]] std::string_view name(Stage stage);
[[nodiscard]] std::optional<Stage> parse_stage(std::string_view text);

/// Kinds: verify, clean, clean-manual, inspect, deploy, undeploy, adopt, rescue, unrescue, service.
[[nodiscard]] std::string_view kind_of_work(Verb verb);
/// `automated` says whether the node is to be cleaned between two users.
[[nodiscard]] std::vector<Stage> flow_of(std::string_view kind, const Node& node, bool automated);
/// The stage behind that one; finish is the last.
[[nodiscard]] Stage next_stage(const std::vector<Stage>& flow, Stage stage);

/// Whether it is steps, one after the other; and which: the current one is number job.notes["step"].
[[nodiscard]] bool is_steps(Stage stage);
[[nodiscard]] Json steps_of(Stage stage, const Node& node);
/// Null behind the last.
[[nodiscard]] Json current_step(Stage stage, const Node& node);

/// Whether the machine, and not we, makes the next move.
[[nodiscard]] bool is_wait(Stage stage);
/// Whether the ramdisk's agent must be there.
[[nodiscard]] bool needs_agent(Stage stage);
/// Whether the machine is to boot our ramdisk when it asks the network, from this stage on.
[[nodiscard]] bool boots_ramdisk(Stage stage);

/// What the agent is told.
struct Order {
  std::string command;  ///< "deploy.execute_deploy_step"
  Json params = Json::object();
  bool wait = false;                             ///< it answers when it is done
  bool optional = false;                         ///< a failure is no failure of the job
  [[nodiscard]] std::string short_name() const;  ///< "execute_deploy_step", as answers have it
};

/// `shown` and `ports` are the node and its ports as the REST API shows them.
[[nodiscard]] Order order_of(Stage stage, const Node& node, const Json& shown, const Json& ports);

/// The entry of an agent's list of commands that is this order; null when it never arrived.
[[nodiscard]] const Json* find_order(const Json& commands, const Order& order);

/// Whether the agent restarts the machine, in place of switching it off: then nobody has to switch it on again.
[[nodiscard]] bool leaves_by_reboot(const Node& node);

}  // namespace hearth::bootstrap
