// Updates: what the new template has more is created, what changed is updated or replaced, what it lacks is deleted at
// the end, and what is the same is left alone.
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

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
    resource.description = planned.description;
  }
  tree_.connect(index);
}

bool StackMachine::unchanged(const Resource& resource, const std::string& fingerprint) const {
  return resource.status == Status::complete && resource.fingerprint == fingerprint;
}

void StackMachine::visit_update(std::size_t index) {
  Resource& resource = tree_.resource(index);
  if (resource.action == Action::init) return start(index, Action::create);
  if (resource.role == Role::nested && resource.child != k_none) return start(index, Action::update);
  try {
    const std::string fingerprint =
        blueprint_.properties(resource.path).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (unchanged(resource, fingerprint)) {
      learn(index);
      return done(index);
    }
    bool anew = resource.status == Status::failed || resource.role == Role::fixed ||
                resource.role == Role::wait_handle || resource.role == Role::wait_condition;
    if (resource.role == Role::deployment && !anew) {
      Trigger probe;
      probe.action = Action::update;
      anew = blueprint_.deployment(resource.path, probe).replace_key != resource.deployment.replace_key;
    }
    anew ? replace(index) : start(index, Action::update);
  } catch (const Error& error) {
    set(index, Action::update, Status::in_progress, "state changed");
    fail_with(index, "StackValidationFailed", error.what());
  }
}

/// A new one takes the place. What was more than a failure stays until the end of the update and is deleted then; a
/// deployment's entry in its server's metadata has one place only, so it is overwritten.
void StackMachine::replace(std::size_t index) {
  Resource& resource = tree_.resource(index);
  if (resource.status != Status::complete || resource.role == Role::deployment) {
    around_.forget(tree_, resource);
    resource.data = Json::object();
    return start(index, Action::create);
  }
  const PlannedResource plan{resource.name, resource.type, resource.role, resource.needs, resource.description};
  const std::size_t stack = resource.stack;
  resource.removed = true;
  resource.visited = false;
  const std::size_t anew = tree_.add_resource(stack, plan, around_.now());
  tree_.connect(stack);
  tree_.resource(anew).visited = true;
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
