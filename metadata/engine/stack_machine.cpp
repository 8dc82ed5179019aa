#include "metadata/engine/stack_machine.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

/// Behind its action: whoever follows waits for the person, too.
bool is_paused(const ResourceRecord& resource) { return !resource.data.hook.empty(); }

bool is_reverse(Action action) { return action == Action::erase || action == Action::suspend; }

/// "2026-11-21T00:19:02.387970": deletions are told to the microsecond; we know whole seconds.
std::string started_text(Action action, std::int64_t now) {
  std::string text = cat("Stack ", word(action), " started");
  if (action != Action::erase) return text;
  const std::string time = iso_time(now);
  return cat(text, " at ", time.substr(0, time.size() - 1), ".000000");
}

}  // namespace

/// What a stack's action means for its resources: a rollback deletes what was created, or goes back to what was.
Action StackMachine::effect(const StackRecord& stack) const {
  if (stack.action != Action::rollback) return stack.action;
  return tree_.restoring ? Action::update : Action::erase;
}

/// Its resources may still be started.
bool StackMachine::is_going_on(const StackRecord& stack) const {
  return stack.status == Status::in_progress || (stack.status == Status::failed && tree_.goes_on_after_failure());
}

void StackMachine::begin(Action action) {
  tasks_.clear();
  changes_.definition = true;
  begin_stack(0, action);
  run();
}

void StackMachine::resume() {
  for (std::size_t i = 0; i < tree_.stacks().size(); ++i) {
    const StackRecord& stack = tree_.stack(i);
    if (!stack.gone && is_going_on(stack)) count_missing(i, false);
  }
  for (std::size_t i = 0; i < tree_.resources().size(); ++i) {
    const ResourceRecord& resource = tree_.resource(i);
    if (!resource.gone && resource.status == Status::in_progress && resource.role == Role::wait_condition)
      check_wait(i);
  }
  run();
}

void StackMachine::run() {
  while (!tasks_.empty()) {
    const Task task = tasks_.front();
    tasks_.pop_front();
    around_.breathe();
    if (task.is_stack) {
      if (tree_.stack(task.index).status == Status::in_progress) finish_stack(task.index);
    } else if (!tree_.resource(task.index).gone && is_going_on(tree_.stack(tree_.resource(task.index).stack))) {
      visit(task.index);
    }
  }
}

void StackMachine::begin_stack(std::size_t index, Action action) {
  StackRecord& stack = tree_.own_stack(index);
  stack.action = action;
  if (effect(stack) == Action::update) stack.updated = around_.now();
  set_stack(index, Status::in_progress, started_text(action, around_.now()));
  for (const std::size_t member : stack.resources) {
    ResourceRecord& resource = tree_.own_resource(member);
    changes_.resources.insert(member);  // a kill must find those, too, to which nothing has come yet
    resource.visited = false;
    resource.data.hook.clear();
    if (effect(stack) != Action::update) resource.removed = false;
  }
  if (effect(stack) == Action::update) plan_update(index);
  count_missing(index, true);
}

/// Counts what each resource has to wait for and starts those that wait for nothing. With `all` an action begins;
/// without, one goes on: what was visited stays visited.
void StackMachine::count_missing(std::size_t index, bool all) {
  StackRecord& stack = tree_.own_stack(index);
  stack.unfinished = 0;
  for (const std::size_t member : stack.resources) {
    ResourceRecord& resource = tree_.own_resource(member);
    if (resource.removed) continue;
    if (all) resource.visited = false;
    resource.missing = 0;
  }
  const auto is_done = [&](const ResourceRecord& resource) {
    return resource.visited && resource.status == Status::complete && !is_paused(resource);
  };
  for (const std::size_t member : stack.resources) {
    const ResourceRecord& resource = tree_.own_resource(member);
    if (resource.removed || is_done(resource)) continue;
    ++stack.unfinished;
    for (const std::size_t next : followers(resource)) ++tree_.own_resource(next).missing;
  }
  for (const std::size_t member : stack.resources) {
    const ResourceRecord& resource = tree_.own_resource(member);
    if (!resource.removed && !resource.visited && resource.missing == 0) tasks_.push_back({false, member});
  }
  if (stack.unfinished == 0) tasks_.push_back({true, index});
}

bool StackMachine::backwards(const ResourceRecord& resource) const {
  return resource.removed || is_reverse(effect(tree_.stack(resource.stack)));
}

/// Those that may come next once this one is done.
std::vector<std::size_t> StackMachine::followers(const ResourceRecord& resource) const {
  std::vector<std::size_t> next;
  if (!backwards(resource)) {
    for (const std::size_t other : resource.needed_by) {
      if (!tree_.resource(other).removed) next.push_back(other);
    }
    return next;
  }
  for (const std::string& need : resource.needs) {
    const std::size_t other = tree_.find_resource(resource.stack, need);
    if (other != k_none && tree_.resource(other).removed == resource.removed) next.push_back(other);
  }
  return next;
}

void StackMachine::visit(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  if (resource.visited) return;
  resource.visited = true;
  changes_.resources.insert(index);
  const Action action = resource.removed ? Action::erase : effect(tree_.own_stack(resource.stack));
  if (action == Action::update) return visit_update(index);
  const bool makes = action == Action::create || action == Action::adopt;
  if (!makes && resource.action == Action::init) return done(index);  // it never came to be
  const bool is_erased = resource.action == Action::erase && resource.status == Status::complete;
  if (action == Action::erase && is_erased) return done(index);
  if (!pauses(index, "pre", action)) start(index, action);
}

void StackMachine::start(std::size_t index, Action action) {
  ResourceRecord& resource = tree_.own_resource(index);
  resource.action = action;
  resource.status = Status::in_progress;
  try {
    const bool makes = action == Action::create || action == Action::adopt;
    if (makes && resource.role != Role::deployment) resource.physical_id = blueprint_.physical_id(resource.path);
    if (action == Action::adopt) restore(index);
    act(index);
  } catch (const Error& error) {
    set(index, action, Status::in_progress, "state changed");
    fail_with(index, "StackValidationFailed", error.what());
  }
}

void StackMachine::act(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  const Action action = resource.action;
  switch (resource.role) {
    case Role::nested: return act_nested(index);
    case Role::deployment: return act_deployment(index);
    case Role::server: return act_server(index);
    case Role::wait_condition: return act_wait(index);
    case Role::wait_handle: return act_handle(index);
    case Role::plain:
    case Role::fixed: break;
  }
  if (action == Action::create || action == Action::update || action == Action::adopt) {
    resource.fingerprint = fingerprint_of(resource);
    Json kept = blueprint_.kept(resource.path);
    if (!kept.is_null()) resource.data.kept = std::move(kept);
  }
  set(index, action, Status::in_progress, "state changed");
  complete(index);
}

void StackMachine::complete(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  set(index, resource.action, Status::complete, "state changed");
  if (resource.action == Action::erase) {
    around_.forget(tree_, resource);
    if (resource.role == Role::deployment) {
      resource.deployment.pushed = false;
      touch_server(resource);
    }
  } else {
    tell(index);
  }
  if (!pauses(index, "post", resource.action)) done(index);
}

void StackMachine::done(std::size_t index) {
  const ResourceRecord& resource = tree_.own_resource(index);
  if (!resource.visited) return;  // an action of before has ended: the running one comes to it yet
  const std::size_t stack = resource.stack;
  for (const std::size_t next : followers(resource)) {
    std::size_t& missing = tree_.own_resource(next).missing;
    if (missing > 0 && --missing == 0) tasks_.push_back({false, next});
  }
  const bool goes = (resource.action == Action::erase && resource.status == Status::complete) ||
                    resource.action == Action::init;  // it never came to be
  const StackRecord& home = tree_.own_stack(stack);
  if (goes && (resource.removed || home.action == Action::rollback || effect(home) == Action::update)) {
    if (resource.child != k_none) changes_.stacks.insert(resource.child);
    tree_.drop_resource(index);
  }
  StackRecord& owner = tree_.own_stack(stack);
  if (owner.unfinished > 0 && --owner.unfinished == 0) tasks_.push_back({true, stack});
}

void StackMachine::finish_stack(std::size_t index) {
  const StackRecord& stack = tree_.stack(index);
  const bool has_removed = std::any_of(stack.resources.begin(), stack.resources.end(),
                                       [&](std::size_t member) { return tree_.resource(member).removed; });
  if (has_removed && effect(stack) == Action::update) return begin_removal(index);
  stack_done(index);
}

void StackMachine::stack_done(std::size_t index) {
  const StackRecord& stack = tree_.own_stack(index);
  check(stack.status == Status::in_progress && stack.unfinished == 0,
        "a stack ends once, when nothing of it is left to do", "stack", stack.name, "unfinished", stack.unfinished);
  for (const std::size_t member : stack.resources) {
    const ResourceRecord& resource = tree_.resource(member);
    check(resource.status == Status::complete, "what a complete stack is made of is complete", "stack", stack.name,
          "resource", resource.path);
  }
  set_stack(index, Status::complete, cat("Stack ", word(stack.action), " completed successfully"));
  if (stack.parent_resource != k_none) return complete(stack.parent_resource);
  tree_.deadline = 0;
  tree_.restoring = false;
  changes_.definition = true;
}

void StackMachine::set(std::size_t index, Action action, Status status, const std::string& reason) {
  ResourceRecord& resource = tree_.own_resource(index);
  check(!resource.gone, "nothing happens to what is gone", "resource", resource.path);
  resource.action = action;
  resource.status = status;
  resource.reason = reason;
  resource.updated = around_.now();
  changes_.resources.insert(index);
  record(tree_.own_stack(resource.stack), &resource, status_text(action, status), reason);
}

void StackMachine::set_stack(std::size_t index, Status status, const std::string& reason) {
  StackRecord& stack = tree_.own_stack(index);
  stack.status = status;
  stack.reason = reason;
  changes_.stacks.insert(index);
  record(stack, nullptr, status_text(stack.action, status), reason);
}

void StackMachine::record(const StackRecord& stack, const ResourceRecord* resource, const std::string& status,
                          const std::string& reason) {
  EventRecord event;
  event.id = random_uuid();
  event.root_id = tree_.id;
  event.stack_id = stack.id;
  event.resource = resource == nullptr ? stack.name : resource->name;
  event.physical_id = resource == nullptr ? stack.id : resource->physical_id;
  event.type = resource == nullptr ? "OS::Heat::Stack" : resource->type;
  event.status = status;
  event.reason = reason;
  event.time = around_.now();
  changes_.events.push_back(std::move(event));
}

void StackMachine::touch_server(const ResourceRecord& deployment) {
  const std::size_t server = tree_.find_path(deployment.deployment.server);
  if (server != k_none) changes_.servers.insert(server);
}

}  // namespace hearth::metadata::live
