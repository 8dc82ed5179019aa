// What nested stacks, servers, deployments and wait conditions do when it is their turn, and how signals reach them.
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/engine/deployment_outcome.hpp"
#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

namespace {

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// How long a deletion waits for the agent to run a deployment that names DELETE.
constexpr std::int64_t k_delete_patience = 240;

}  // namespace

void StackMachine::act_nested(std::size_t index) {
  Resource& resource = tree_.resource(index);
  const Action action = resource.action;
  if (action == Action::create || resource.child == k_none) {
    if (action == Action::erase) {
      set(index, action, Status::in_progress, "state changed");
      return complete(index);
    }
    const PlannedStack plan = blueprint_.stack(resource.path);
    const std::size_t child = tree_.add_stack(plan, index, around_.now());
    // Its first event has the nested stack's name: by that the field's client finds the paths of events.
    tree_.resource(index).physical_id = plan.name;
    for (const std::size_t member : tree_.stack(child).resources) changes_.resources.insert(member);
    set(index, action, Status::in_progress, "state changed");
    tree_.resource(index).physical_id = plan.id;
    return begin_stack(child, Action::create);
  }
  set(index, action, Status::in_progress, "state changed");
  begin_stack(resource.child, action);
}

void StackMachine::act_server(std::size_t index) {
  Resource& resource = tree_.resource(index);
  if (resource.action == Action::create || resource.action == Action::update) {
    resource.fingerprint = dumped(blueprint_.properties(resource.path));
    around_.prepare_server(tree_, resource, blueprint_.server(resource.path));
    changes_.servers.insert(index);
  }
  set(index, resource.action, Status::in_progress, "state changed");
  complete(index);
}

void StackMachine::act_deployment(std::size_t index) {
  Resource& resource = tree_.resource(index);
  const Action action = resource.action;
  const bool begins = action == Action::create;
  if (begins) resource.physical_id = random_uuid();
  if (begins || action == Action::update) resource.fingerprint = dumped(blueprint_.properties(resource.path));
  Trigger what;
  what.action = action;
  what.config_id = random_uuid();
  what.created = iso_time(around_.now());
  PlannedDeployment plan = plan_of(resource, what);
  set(index, action, Status::in_progress, "state changed");
  if (begins) resource.deployment = {};
  resource.deployment.server = plan.server;
  resource.deployment.replace_key = plan.replace_key;
  if (!plan.triggers || (action == Action::erase && !must_wait(resource, plan))) return complete(index);
  what.signal = around_.signal_inputs(tree_, resource, plan.signal_transport);
  plan = plan_of(resource, what);
  trigger(index, plan, what.config_id);
}

/// What is deleted may be unknown to the new template, and even what nobody knows any more must be deletable.
PlannedDeployment StackMachine::plan_of(const Resource& resource, const Trigger& trigger) {
  if (trigger.action != Action::erase) return blueprint_.deployment(resource.path, trigger);
  for (Blueprint* blueprint : {previous_, &blueprint_}) {
    try {
      if (blueprint != nullptr) return blueprint->deployment(resource.path, trigger);
    } catch (const Error&) {  // the other one may know
    }
  }
  PlannedDeployment unknown;
  unknown.server = resource.deployment.server;
  unknown.triggers = false;
  return unknown;
}

/// A machine that does not poll any more will not run what is to be done at deletion.
bool StackMachine::must_wait(const Resource& resource, const PlannedDeployment& plan) const {
  const std::size_t server = tree_.find_path(plan.server);
  return plan.signal_transport != "NO_SIGNAL" && resource.deployment.pushed && server != k_none &&
         around_.is_polling(tree_.resource(server));
}

void StackMachine::trigger(std::size_t index, const PlannedDeployment& plan, const std::string& config_id) {
  Resource& resource = tree_.resource(index);
  DeploymentState& state = resource.deployment;
  state.config_id = config_id;
  state.derived = dumped(plan.derived);
  state.name = plan.derived.value("name", resource.name);
  state.outputs = plan.derived.value("outputs", Json::array());
  state.input_values = plan.input_values;
  state.transport = plan.signal_transport;
  state.action = resource.action;
  state.output_values = Json();
  state.pushed = true;
  touch_server(resource);
  if (plan.signal_transport == "NO_SIGNAL") {
    state.status = Status::complete;
    state.reason = "Not waiting for outputs signal";
    return complete(index);
  }
  state.status = Status::in_progress;
  state.reason = "Deploy data available";
  if (resource.action == Action::erase) resource.data["deadline"] = around_.now() + k_delete_patience;
}

void StackMachine::act_wait(std::size_t index) {
  Resource& resource = tree_.resource(index);
  set(index, resource.action, Status::in_progress, "state changed");
  if (resource.action != Action::create && resource.action != Action::update) return complete(index);
  resource.fingerprint = dumped(blueprint_.properties(resource.path));
  const PlannedWait plan = blueprint_.wait(resource.path);
  resource.data = Json::object();
  resource.data["handle"] = plan.handle;
  resource.data["count"] = plan.count;
  resource.data["deadline"] = around_.now() + plan.timeout;
  check_wait(index);
}

/// Completes or fails a wait condition when its handle has got enough signals.
void StackMachine::check_wait(std::size_t index) {
  const Resource& condition = tree_.resource(index);
  const std::size_t handle = tree_.find_path(condition.data.value("handle", ""));
  if (handle == k_none || condition.status != Status::in_progress) return;
  const Json signals = tree_.resource(handle).data.value("signals", Json::object());
  std::vector<std::string> failures;
  for (const auto& [id, signal] : signals.items()) {
    if (signal.value("status", "") == "FAILURE") failures.push_back(signal.value("reason", ""));
  }
  if (!failures.empty()) return fail_with(index, "WaitConditionFailure", join(failures, ";"));
  if (signals.size() >= condition.data.value("count", std::size_t{1})) complete(index);
}

void StackMachine::relearn() {
  for (std::size_t i = 0; i < tree_.resources().size(); ++i) {
    const Resource& resource = tree_.resource(i);
    if (!resource.gone && resource.status == Status::complete) learn(i);
  }
}

/// Tells the blueprint what only the run could tell.
void StackMachine::learn(std::size_t index) {
  const Resource& resource = tree_.resource(index);
  if (resource.role == Role::deployment && resource.deployment.status == Status::complete &&
      resource.deployment.output_values.is_object()) {
    blueprint_.know(resource.path, resource.deployment.output_values);
  }
  if (resource.role == Role::wait_condition) {
    const std::size_t handle = tree_.find_path(resource.data.value("handle", ""));
    if (handle == k_none) return;
    Json data = Json::object();
    const Json signals = tree_.resource(handle).data.value("signals", Json::object());
    for (const auto& [id, signal] : signals.items()) {
      data[id] = signal.contains("data") ? signal["data"] : Json();
    }
    Json known = Json::object();
    known["data"] = dumped(data);
    blueprint_.know(resource.path, known);
  }
}

SignalOutcome StackMachine::signal(std::size_t index, const Json& body) {
  Resource& resource = tree_.resource(index);
  if (resource.role == Role::wait_handle) {
    SignalOutcome outcome = signal_handle(index, body);
    run();
    return outcome;
  }
  if (resource.role != Role::deployment) {
    return {SignalOutcome::Kind::bad, cat("The resource ", resource.name, " takes no signals")};
  }
  changes_.resources.insert(index);
  if (resource.deployment.status != Status::in_progress) {
    record(tree_.stack(resource.stack), &resource, cat("SIGNAL_", word(resource.status)), "Unknown");
    return {};
  }
  signal_deployment(index, body);
  run();
  return {};
}

void StackMachine::signal_deployment(std::size_t index, const Json& body) {
  Resource& resource = tree_.resource(index);
  DeploymentOutcome outcome = deployment_outcome(resource.deployment.outputs, body);
  resource.deployment.status = outcome.failed ? Status::failed : Status::complete;
  resource.deployment.reason = outcome.reason;
  resource.deployment.output_values = std::move(outcome.output_values);
  record(tree_.stack(resource.stack), &resource, cat("SIGNAL_", word(resource.status)),
         cat("Signal: deployment ", resource.physical_id, " ", outcome.note));
  if (!outcome.failed) return complete(index);
  fail_with(index, "Error", cat("Deployment to server failed: ", outcome.reason));
}

SignalOutcome StackMachine::signal_handle(std::size_t index, const Json& body) {
  Resource& handle = tree_.resource(index);
  if (!handle.data.is_object()) handle.data = Json::object();
  Json& signals = handle.data["signals"];
  if (!signals.is_object()) signals = Json::object();
  const std::optional<WaitSignal> signal = parse_wait_signal(body, signals.size() + 1);
  if (!signal) return {SignalOutcome::Kind::bad, "Metadata format invalid"};
  Json entry = Json::object();
  entry["status"] = signal->status;
  entry["reason"] = signal->reason;
  entry["data"] = signal->data;
  signals[signal->id] = std::move(entry);
  changes_.resources.insert(index);
  record(tree_.stack(handle.stack), &handle, cat("SIGNAL_", word(handle.status)),
         cat("Signal: status:", signal->status, " reason:", signal->reason));
  for (std::size_t i = 0; i < tree_.resources().size(); ++i) {
    const Resource& other = tree_.resource(i);
    const bool waits = other.role == Role::wait_condition && other.status == Status::in_progress && !other.gone;
    if (waits && other.data.value("handle", "") == handle.path) check_wait(i);
  }
  return {};
}

}  // namespace hearth::metadata::live
