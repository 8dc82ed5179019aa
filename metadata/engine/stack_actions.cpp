// What nested stacks, servers, deployments and wait conditions do when it is their turn.
#include <algorithm>

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

namespace {

std::string action_text(const Json& value) { return format_json(value, {.lossy = true}); }

/// How long a deletion waits for the agent to run a deployment that names DELETE.
constexpr std::int64_t k_delete_patience = 240;

}  // namespace

void StackMachine::act_nested(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  const Action action = resource.action;
  const bool makes = action == Action::create || action == Action::adopt;
  if (makes || action == Action::update) resource.fingerprint = fingerprint_of(resource);
  if (makes || resource.child == k_none) {
    if (action == Action::erase) {
      set(index, action, Status::in_progress, "state changed");
      return complete(index);
    }
    const PlannedStack plan = blueprint_.stack(resource.path);
    const std::size_t child = tree_.add_stack(plan, index, around_.now());
    // Its first event has the nested stack's name: by that the field's client finds the paths of events.
    tree_.own_resource(index).physical_id = plan.name;
    set(index, action, Status::in_progress, "state changed");
    tree_.own_resource(index).physical_id = plan.id;
    keep_blacklist(index, plan);
    return begin_stack(child, action == Action::adopt ? action : Action::create);
  }
  set(index, action, Status::in_progress, "state changed");
  begin_stack(resource.child, action);
}

void StackMachine::act_server(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  const bool makes = resource.action == Action::create || resource.action == Action::adopt;
  if (makes || resource.action == Action::update) {
    resource.fingerprint = fingerprint_of(resource);
    const PlannedServer plan = blueprint_.server(resource.path);
    around_.prepare_server(tree_, resource, plan);
    resource.data.is_machine = plan.is_machine;
    changes_.servers.insert(index);
  }
  set(index, resource.action, Status::in_progress, "state changed");
  const bool waits = resource.action == Action::create && resource.data.is_machine && resource.data.machine.is_null() &&
                     around_.provides(resource);
  if (!waits) complete(index);
}

void StackMachine::machine_came(std::size_t index, const Json& attributes, const std::string& failure) {
  ResourceRecord& resource = tree_.own_resource(index);
  changes_.resources.insert(index);
  const bool waiting = resource.status == Status::in_progress && resource.action == Action::create;
  if (!failure.empty()) {
    if (waiting) fail_with(index, "ResourceInError", cat("Went to status ERROR due to \"", failure, "\""));
    return;
  }
  resource.data.machine = attributes;
  waiting ? complete(index) : learn(index);
  run();
}

/// A handle can be signalled from its creation on, by the way that its attributes tell.
void StackMachine::act_handle(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  if (resource.action == Action::create || resource.action == Action::adopt) {
    resource.fingerprint = fingerprint_of(resource);
    resource.data.attributes = around_.prepare_handle(tree_, resource, blueprint_.handle(resource.path));
  }
  set(index, resource.action, Status::in_progress, "state changed");
  complete(index);
}

/// A group's names that must not come again are kept with it: the template may stop naming them.
void StackMachine::keep_blacklist(std::size_t index, const PlannedStack& plan) {
  ResourceRecord& resource = tree_.own_resource(index);
  if (plan.blacklist == resource.data.blacklist) return;
  resource.data.blacklist = plan.blacklist;
  changes_.resources.insert(index);
}

/// A deployment on a server that was replaced is another one, though the server may have kept its id.
std::string StackMachine::fingerprint_of(const ResourceRecord& resource) {
  Json properties = blueprint_.properties(resource.path);
  if (resource.role == Role::deployment) {
    const std::size_t server = tree_.find_path(resource.deployment.server);
    const ResourceData& data = server == k_none ? resource.data : tree_.resource(server).data;
    if (data.generation != 0) properties["server"] = cat(properties.value("server", ""), "#", data.generation);
  }
  return action_text(properties);
}

void StackMachine::act_deployment(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  const Action action = resource.action;
  if (action == Action::adopt) return adopt_deployment(index);
  const bool begins = action == Action::create;
  Trigger what;
  what.action = action;
  what.config_id = random_uuid();
  what.created = iso_time(around_.now());
  const bool replaced = action == Action::erase && tree_.find_path(resource.path) != index;
  PlannedDeployment plan = plan_of(resource, what);
  if (begins) resource.physical_id.clear();  // there is none before there is something to do
  if (plan.triggers && resource.physical_id.empty() && action != Action::erase) {
    resource.physical_id = blueprint_.physical_id(resource.path);
  }
  set(index, action, Status::in_progress, "state changed");
  if (begins) resource.deployment = {};
  resource.deployment.server = plan.server;
  if (begins || action == Action::update) resource.fingerprint = fingerprint_of(resource);
  // Nobody could tell its signals from those of what took its place.
  if (!plan.triggers || replaced || (action == Action::erase && !must_wait(resource, plan))) return complete(index);
  what.signal = around_.signal_inputs(tree_, resource, plan.signal_transport);
  plan = plan_of(resource, what);
  trigger(index, plan, what.config_id);
}

/// What is deleted may be unknown to the new template, and even what nobody knows any more must be deletable.
PlannedDeployment StackMachine::plan_of(const ResourceRecord& resource, const Trigger& trigger) {
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
bool StackMachine::must_wait(const ResourceRecord& resource, const PlannedDeployment& plan) const {
  const std::size_t server = tree_.find_path(plan.server);
  return plan.signal_transport != "NO_SIGNAL" && resource.deployment.pushed && server != k_none &&
         around_.is_polling(tree_.own_resource(server));
}

void StackMachine::trigger(std::size_t index, const PlannedDeployment& plan, const std::string& config_id) {
  ResourceRecord& resource = tree_.own_resource(index);
  DeploymentState& state = resource.deployment;
  state.config_id = config_id;
  state.derived = action_text(plan.derived);
  state.name = plan.derived.value("name", resource.name);
  state.outputs = plan.derived.value("outputs", Json::array());
  state.input_values = plan.input_values;
  state.transport = plan.signal_transport;
  state.action = resource.action;
  // Until it has told anew it is known for what it told.
  if (const Json told = told_of(resource); told.is_object()) resource.data.told = told;
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
  if (resource.action == Action::erase) resource.data.deadline = around_.lasted() + k_delete_patience;
}

void StackMachine::act_wait(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  set(index, resource.action, Status::in_progress, "state changed");
  if (resource.action != Action::create && resource.action != Action::update) return complete(index);
  resource.fingerprint = fingerprint_of(resource);
  const PlannedWait plan = blueprint_.wait(resource.path);
  const bool is_told = !resource.data.told.is_null();
  resource.data = {};
  if (is_told) resource.data.told = true;
  resource.data.handle = plan.handle;
  resource.data.count = plan.count;
  resource.data.deadline = around_.lasted() + plan.timeout;
  const std::size_t handle = tree_.find_path(plan.handle);
  const bool by_itself = handle != k_none && blueprint_.handle(plan.handle).transport == "NO_SIGNAL";
  for (std::size_t i = 0; by_itself && i < plan.count; ++i) (void)signal_handle(handle, Json::object());
  check_wait(index);
}

void StackMachine::relearn(bool anew) {
  const StackRecord& root = tree_.root();
  const bool updates = effect(root) == Action::update && is_going_on(root);
  for (std::size_t i = 0; i < tree_.resources().size(); ++i) {
    const ResourceRecord& resource = tree_.resource(i);
    if (resource.gone) continue;
    if (resource.role == Role::nested && resource.child != k_none && tree_.stack(resource.child).is_group) {
      tell_group(i, !anew && !(updates && !is_reached(i)));
    } else if (tree_.find_path(resource.path) == i) {  // what goes knows nothing of what took its place
      learn(i);
    }
  }
}

/// Whether the running operation has come to this resource.
bool StackMachine::is_reached(std::size_t index) const {
  while (index != k_none && tree_.resource(index).visited) {
    index = tree_.stack(tree_.resource(index).stack).parent_resource;
  }
  return index == k_none;
}

/// Which names a group passes over is decided when its update is planned, by the members that it has then.
void StackMachine::tell_group(std::size_t index, bool decided) {
  const ResourceRecord& group = tree_.resource(index);
  Json known = Json::object();
  known["removed_rsrc_list"] = group.data.blacklist;
  if (decided) {
    known["decided"] = true;
  } else {
    Json& references = known["refs_map"] = Json::object();
    for (const std::size_t member : tree_.stack(group.child).resources) {
      const ResourceRecord& each = tree_.resource(member);
      if (each.action != Action::init) references[each.name] = reference_of(each.path);
    }
  }
  blueprint_.know(group.path, known);
}

/// What refers to a member; of one that is no more than half there, nothing does.
Json StackMachine::reference_of(const std::string& path) {
  try {
    return (previous_ == nullptr ? blueprint_ : *previous_).reference(path);
  } catch (const Error&) {
    return {};
  }
}

/// What the run told of the resource last, whatever has happened to it since; null where it told nothing.
Json StackMachine::told_of(const ResourceRecord& resource) const {
  const ResourceData& data = resource.data;
  const bool is_complete = resource.status == Status::complete;
  switch (resource.role) {
    case Role::deployment:
      if (!data.told.is_null()) return data.told;
      return resource.deployment.status == Status::complete ? resource.deployment.output_values : Json();
    case Role::wait_handle: return data.attributes;
    case Role::server: return data.machine.is_null() ? data.told : data.machine;
    case Role::wait_condition: return is_complete || !data.told.is_null() ? signals_of(resource) : Json();
    default: return {};
  }
}

Json StackMachine::signals_of(const ResourceRecord& condition) const {
  const std::size_t handle = tree_.find_path(condition.data.handle);
  if (handle == k_none) return {};
  Json data = Json::object();
  for (const auto& [id, signal] : tree_.resource(handle).data.signals.items()) {
    data[id] = signal.contains("data") ? signal["data"] : Json();
  }
  return {{"data", python_json(data)}};  // a text, as Heat writes it: templates may compare it
}

/// Tells the blueprint what only the run could tell.
void StackMachine::learn(std::size_t index) {
  const ResourceRecord& resource = tree_.resource(index);
  const Json told = told_of(resource);
  if (told.is_object()) blueprint_.know(resource.path, told);
}

/// It is known from now on, whatever becomes of the resource.
void StackMachine::tell(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  if (resource.role == Role::wait_condition) resource.data.told = true;
  if (resource.role == Role::deployment && resource.deployment.output_values.is_object()) resource.data.told = nullptr;
  changes_.resources.insert(index);
  learn(index);
}

}  // namespace hearth::metadata::live
