// Updates: what the new template has more is created, what changed is updated or replaced, what it lacks is deleted at
// the end, and what is the same is left alone.
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

namespace {

/// Properties that differ between two fingerprints.
std::vector<std::string> changed_properties(const std::string& before, const std::string& after) {
  const Json old_one = json_or_null(before);
  const Json new_one = json_or_null(after);
  if (!old_one.is_object() || !new_one.is_object()) return {};
  std::vector<std::string> changed;
  for (const auto& [key, value] : new_one.items()) {
    const auto found = old_one.find(key);
    if (found == old_one.end() ? !value.is_null() : *found != value) changed.push_back(key);
  }
  for (const auto& [key, value] : old_one.items()) {
    if (!new_one.contains(key) && !value.is_null()) changed.push_back(key);
  }
  return changed;
}

/// The value of an input of a deployment's entry; nothing where it has no such input.
const Json* input_of(const Json& entry, const Json& name) {
  if (!entry.is_object() || !entry.contains("inputs")) return nullptr;
  for (const Json& input : entry["inputs"]) {
    if (input.is_object() && input.contains("name") && input["name"] == name) return &input["value"];
  }
  return nullptr;
}

/// Whether an input that asks for replacement had another value when the deployment ran last. One that never ran, or
/// had no such input, stays.
bool is_replaced_by_input(const Json& ran, const Json& next) {
  for (const Json& input : next.value("inputs", Json::array())) {
    if (!input.is_object() || !input.value("replace_on_change", false)) continue;
    const Json* const before = input_of(ran, input["name"]);
    if (before != nullptr && *before != input["value"]) return true;
  }
  return false;
}

/// What Heat has one class for: another nested template is another version of the same thing.
bool is_same_kind(const ResourceRecord& there, const PlannedResource& planned) {
  const auto is_template = [](Role role, const std::string& type) {
    return role == Role::nested && type.rfind("OS::Heat::", 0) != 0;
  };
  return (there.type == planned.type && there.role == planned.role) ||
         (is_template(there.role, there.type) && is_template(planned.role, planned.type));
}

}  // namespace

/// Brings a stack's list of resources in line with the blueprint: new ones in state INIT, old ones marked as removed.
void StackMachine::plan_update(std::size_t index) {
  const PlannedStack plan = blueprint_.stack(tree_.own_stack(index).path);
  tree_.own_stack(index).description = plan.description;
  for (const std::size_t member : tree_.own_stack(index).resources) {
    tree_.own_resource(member).removed = true;
    changes_.resources.insert(member);
  }
  for (const PlannedResource& planned : plan.resources) {
    const std::size_t found = tree_.find_resource(index, planned.name);
    const bool other_kind = found != k_none && !is_same_kind(tree_.own_resource(found), planned);
    if (other_kind) blueprint_.renew(tree_.own_resource(found).path);
    if (found == k_none || other_kind) {  // of another type: the old one goes at the end, beside it a new one comes
      changes_.resources.insert(tree_.add_resource(index, planned, around_.now()));
      continue;
    }
    ResourceRecord& resource = tree_.own_resource(found);
    resource.removed = false;
    resource.type = planned.type;
    resource.needs = planned.needs;
    resource.hooks = planned.hooks;
    resource.description = planned.description;
  }
  if (tree_.own_stack(index).parent_resource != k_none) keep_blacklist(tree_.own_stack(index).parent_resource, plan);
  tree_.connect(index);
}

bool StackMachine::unchanged(const ResourceRecord& resource, const std::string& fingerprint) const {
  return resource.status == Status::complete && resource.fingerprint == fingerprint;
}

/// What Heat calls the resource whose place a new one must take, because of what can't change or where an input asks
/// for it; empty where it can stay.
std::string StackMachine::to_replace(const ResourceRecord& resource, const std::string& fingerprint) {
  const std::vector<std::string> changed = changed_properties(resource.fingerprint, fingerprint);
  if (std::find(changed.begin(), changed.end(), "(external_id)") != changed.end()) {
    throw Error(ErrorKind::input, cat("Update to property external_id of ", resource.name, " (", resource.type,
                                      ") is not supported. Give the resource another name in the template."));
  }
  const bool fixed =
      resource.role == Role::fixed || resource.role == Role::wait_handle || resource.role == Role::wait_condition;
  // "(metadata)" and the like are no properties.
  if (fixed && std::any_of(changed.begin(), changed.end(), [](const std::string& name) { return name[0] != '('; })) {
    return resource.name;
  }
  if (!blueprint_.updates_in_place(resource.path, changed)) return resource.name;
  if (resource.role != Role::deployment) return {};
  Trigger probe;
  probe.action = Action::update;
  const Json ran = json_or_null(resource.deployment.derived);
  return is_replaced_by_input(ran, blueprint_.deployment(resource.path, probe).derived) ? "Unknown" : "";
}

void StackMachine::visit_update(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  if (resource.action == Action::init) {
    if (!pauses(index, "pre", Action::create)) start(index, Action::create);
    return;
  }
  try {
    const std::string fingerprint = fingerprint_of(resource);
    const bool holds_stack = resource.role == Role::nested && resource.child != k_none;
    if (!holds_stack && unchanged(resource, fingerprint)) {
      learn(index);
      return done(index);
    }
    if (!holds_stack && resource.status == Status::failed) return replace(index);
    if (const std::string name = to_replace(resource, fingerprint); !name.empty()) {
      const Status before = resource.status;
      set(index, Action::update, Status::in_progress, "state changed");
      set(index, Action::update, Status::complete, cat("The Resource ", name, " requires replacement."));
      tree_.own_resource(index).status = before;
      return replace(index);
    }
    if (!pauses(index, "pre", Action::update)) start(index, Action::update);
  } catch (const Error& error) {
    set(index, Action::update, Status::in_progress, "state changed");
    fail_with(index, "StackValidationFailed", error.what());
  }
}

/// A new one takes the place, with an id of its own; but a machine keeps the id by which whoever provides it knows it.
/// What was more than a failure stays until the end of the update and is deleted then.
void StackMachine::replace(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  const bool is_failed_server = resource.role == Role::server && resource.action == Action::check;
  const bool overwritten = resource.status != Status::complete && !is_failed_server && resource.role != Role::nested;
  const bool keeps_id = resource.role == Role::server && resource.data.is_machine;
  if (!keeps_id) blueprint_.renew(resource.path);
  const std::size_t era = keeps_id ? resource.era : tree_.era;
  const Json told = keeps_id ? told_of(resource) : Json();
  if (overwritten) {
    around_.forget(tree_, resource);
    resource.era = era;
    resource.data = {};
    if (told.is_object()) resource.data.told = told;
    return start(index, Action::create);
  }
  const PlannedResource plan{resource.name,  resource.type,        resource.role,
                             resource.needs, resource.description, resource.hooks};
  const std::size_t stack = resource.stack;
  // Where its document stays at the same place, agents and caches know it by its version, which has to grow on.
  const std::int64_t generation = resource.data.generation + 1;
  const std::int64_t version = resource.data.version;
  const std::int64_t modified = resource.data.modified;
  resource.removed = true;
  resource.visited = false;
  const std::size_t anew = tree_.add_resource(stack, plan, around_.now());
  tree_.connect(stack);
  tree_.own_resource(anew).visited = true;
  tree_.own_resource(anew).era = era;
  if (plan.role == Role::server) {
    ResourceData& data = tree_.own_resource(anew).data;
    data.generation = generation;
    data.version = version;
    data.modified = modified;
    if (told.is_object()) data.told = told;
  }
  changes_.resources.insert(anew);
  start(anew, Action::create);
}

/// The second half of an update: what the new template lacks goes, dependants first.
void StackMachine::begin_removal(std::size_t index) {
  StackRecord& stack = tree_.own_stack(index);
  std::vector<std::size_t> going;
  for (const std::size_t member : stack.resources) {
    if (tree_.own_resource(member).removed) going.push_back(member);
  }
  stack.unfinished = going.size();
  for (const std::size_t member : going) tree_.own_resource(member).missing = 0;
  for (const std::size_t member : going) {
    for (const std::size_t next : followers(tree_.own_resource(member))) ++tree_.own_resource(next).missing;
  }
  for (const std::size_t member : going) {
    ResourceRecord& resource = tree_.own_resource(member);
    if (resource.action != Action::erase) resource.visited = false;
    if (resource.missing == 0 && !resource.visited) tasks_.push_back({false, member});
  }
}

}  // namespace hearth::metadata::live
