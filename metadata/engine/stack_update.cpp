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
  const Json old_one = Json::parse(before, nullptr, false);
  const Json new_one = Json::parse(after, nullptr, false);
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

}  // namespace

/// Brings a stack's list of resources in line with the blueprint: new ones in state INIT, old ones marked as removed.
void StackMachine::plan_update(std::size_t index) {
  const PlannedStack plan = blueprint_.stack(tree_.stack(index).path);
  tree_.stack(index).description = plan.description;
  for (const std::size_t member : tree_.stack(index).resources) {
    tree_.resource(member).removed = true;
    changes_.resources.insert(member);
  }
  for (const PlannedResource& planned : plan.resources) {
    const std::size_t found = tree_.find_resource(index, planned.name);
    const bool other_kind =
        found != k_none && (tree_.resource(found).type != planned.type || tree_.resource(found).role != planned.role);
    if (found == k_none || other_kind) {  // of another type: the old one goes at the end, beside it a new one comes
      changes_.resources.insert(tree_.add_resource(index, planned, around_.now()));
      continue;
    }
    Resource& resource = tree_.resource(found);
    resource.removed = false;
    resource.needs = planned.needs;
    resource.hooks = planned.hooks;
    resource.description = planned.description;
  }
  if (tree_.stack(index).parent_resource != k_none) keep_blacklist(tree_.stack(index).parent_resource, plan);
  tree_.connect(index);
}

bool StackMachine::unchanged(const Resource& resource, const std::string& fingerprint) const {
  return resource.status == Status::complete && resource.fingerprint == fingerprint;
}

/// A new one must take the place: of what failed, of what can't change, where an input asks for it.
bool StackMachine::must_replace(const Resource& resource, const std::string& fingerprint) {
  if (resource.status == Status::failed) return true;
  if (resource.role == Role::fixed || resource.role == Role::wait_handle || resource.role == Role::wait_condition) {
    return true;
  }
  if (resource.role == Role::deployment) {
    Trigger probe;
    probe.action = Action::update;
    if (blueprint_.deployment(resource.path, probe).replace_key != resource.deployment.replace_key) return true;
  }
  return !blueprint_.updates_in_place(resource.path, changed_properties(resource.fingerprint, fingerprint));
}

void StackMachine::visit_update(std::size_t index) {
  Resource& resource = tree_.resource(index);
  if (resource.action == Action::init) {
    if (!pauses(index, "pre", Action::create)) start(index, Action::create);
    return;
  }
  if (resource.role == Role::nested && resource.child != k_none) {
    if (!pauses(index, "pre", Action::update)) start(index, Action::update);
    return;
  }
  try {
    const std::string fingerprint = fingerprint_of(resource);
    if (unchanged(resource, fingerprint)) {
      learn(index);
      return done(index);
    }
    if (must_replace(resource, fingerprint)) return replace(index);
    if (!pauses(index, "pre", Action::update)) start(index, Action::update);
  } catch (const Error& error) {
    set(index, Action::update, Status::in_progress, "state changed");
    fail_with(index, "StackValidationFailed", error.what());
  }
}

/// A new one takes the place. What was more than a failure stays until the end of the update and is deleted then; a
/// deployment's entry in its server's metadata has one place only, so it is overwritten.
void StackMachine::replace(std::size_t index) {
  Resource& resource = tree_.resource(index);
  const bool is_failed_server = resource.role == Role::server && resource.action == Action::check;
  if ((resource.status != Status::complete && !is_failed_server) || resource.role == Role::deployment) {
    around_.forget(tree_, resource);
    resource.data = Json::object();
    return start(index, Action::create);
  }
  const PlannedResource plan{resource.name,  resource.type,        resource.role,
                             resource.needs, resource.description, resource.hooks};
  const std::size_t stack = resource.stack;
  // Agents and caches know a server's document by its version, which has to grow on.
  const std::int64_t generation = resource.data.value("generation", std::int64_t{0}) + 1;
  const std::int64_t version = resource.data.value("version", std::int64_t{0});
  const std::int64_t modified = resource.data.value("modified", std::int64_t{0});
  resource.removed = true;
  resource.visited = false;
  const std::size_t anew = tree_.add_resource(stack, plan, around_.now());
  tree_.connect(stack);
  tree_.resource(anew).visited = true;
  if (plan.role == Role::server) {
    tree_.resource(anew).data = {{"generation", generation}, {"version", version}, {"modified", modified}};
  }
  changes_.resources.insert(anew);
  start(anew, Action::create);
}

/// The second half of an update: what the new template lacks goes, dependants first.
void StackMachine::begin_removal(std::size_t index) {
  Stack& stack = tree_.stack(index);
  std::vector<std::size_t> going;
  for (const std::size_t member : stack.resources) {
    if (tree_.resource(member).removed) going.push_back(member);
  }
  stack.unfinished = going.size();
  for (const std::size_t member : going) tree_.resource(member).missing = 0;
  for (const std::size_t member : going) {
    for (const std::size_t next : followers(tree_.resource(member))) ++tree_.resource(next).missing;
  }
  for (const std::size_t member : going) {
    Resource& resource = tree_.resource(member);
    if (resource.action != Action::erase) resource.visited = false;
    if (resource.missing == 0 && !resource.visited) tasks_.push_back({false, member});
  }
}

}  // namespace hearth::metadata::live
