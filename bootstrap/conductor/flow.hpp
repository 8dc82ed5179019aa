// The way of each kind of work through its stages, and what a stage orders from the agent. Pure.
//
// A job is a straight list of stages. The stage that a node has reached is durable before anything is done for it, and
// each can be begun again: that is how a killed daemon goes on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

[[nodiscard]] JobKind kind_of_work(Verb verb);
/// `automated` says whether the node is to be cleaned between two users.
[[nodiscard]] std::vector<Stage> flow_of(JobKind kind, const Node& node, bool automated);
/// The stage behind that one; finish is the last.
[[nodiscard]] Stage next_stage(const std::vector<Stage>& flow, Stage stage);

/// Whether it is steps, one after the other; and which: the current one is number job.notes.step.
[[nodiscard]] bool is_steps(Stage stage);
[[nodiscard]] Json steps_of(Stage stage, const Node& node);
/// Null behind the last.
[[nodiscard]] Json current_step(Stage stage, const Node& node);

/// Whose steps those of a job are: "clean", "deploy" or "service".
[[nodiscard]] std::string step_kind(JobKind kind);

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
