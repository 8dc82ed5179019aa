// How a failure travels: up to the root, with its path growing on the way, and down into what runs beside it, which is
// aborted. And how time runs out.
#include <algorithm>

#include "base/text.hpp"
#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

namespace {

/// Heat parses a nested stack's reason when it passes it on, and loses the blank before the first colon.
std::string passed_on(const std::string& message) {
  const std::size_t colon = message.find(" : ");
  return colon == std::string::npos ? message : cat(message.substr(0, colon), message.substr(colon + 1));
}

}  // namespace

void StackMachine::fail_with(std::size_t index, const std::string& type, const std::string& message) {
  const std::string path = cat("resources.", tree_.own_resource(index).name);
  fail(index, cat(type, ": ", path, ": ", message), path, cat(type, "\n", message));
}

/// `message` is "TYPE\nTEXT": the path goes between the two.
void StackMachine::fail(std::size_t index, const std::string& reason, const std::string& path,
                        const std::string& message) {
  const ResourceRecord& resource = tree_.own_resource(index);
  set(index, resource.action, Status::failed, reason);
  if (!resource.visited) return;  // an action of before has failed: the running one comes to it yet
  fail_stack(resource.stack, path, message);
}

void StackMachine::fail_stack(std::size_t index, const std::string& path, const std::string& message) {
  if (tree_.own_stack(index).status != Status::in_progress) return;
  std::vector<std::size_t> nested;
  if (!tree_.goes_on_after_failure()) abort_running(index, nested);
  const std::size_t cut = message.find('\n');
  const std::string type = message.substr(0, cut);
  const std::string text = message.substr(cut + 1);
  const std::string told = cat(type, ": ", path, ": ", text);
  const Action action = tree_.own_stack(index).action;
  const bool named = action != Action::update && action != Action::rollback;
  set_stack(index, Status::failed, named ? cat("Resource ", word(action), " failed: ", told) : told);
  for (const std::size_t child : nested) abort_below(child);
  const std::size_t parent = tree_.own_stack(index).parent_resource;
  if (parent == k_none) {
    if (tree_.goes_on_after_failure()) return;  // what runs on has the same end, in time and in direction
    tree_.deadline = 0;
    tree_.restoring = false;
    changes_.definition = true;
    return;
  }
  const ResourceRecord& resource = tree_.own_resource(parent);
  // In its own group a member is resources[N]; seen from further out, the group's name comes before it.
  const std::string own = tree_.own_stack(resource.stack).is_group ? cat("resources[", resource.name, "]")
                                                                   : cat("resources.", resource.name);
  const std::string longer = cat(own, ".", path);
  const std::string onward = passed_on(text);
  fail(parent, cat(type, ": ", longer, ": ", onward), longer, cat(type, "\n", onward));
}

/// Ends what runs in this stack; nested stacks that ran are left for abort_below, after this stack's own event.
void StackMachine::abort_running(std::size_t index, std::vector<std::size_t>& nested) {
  const std::vector<std::size_t> members = tree_.own_stack(index).resources;
  for (const std::size_t member : members) {
    ResourceRecord& resource = tree_.own_resource(member);
    if (resource.status != Status::in_progress) continue;
    set(member, resource.action, Status::failed, cat(word(resource.action), " aborted"));
    if (resource.role == Role::deployment && resource.deployment.status == Status::in_progress) {
      resource.deployment.status = Status::failed;
      resource.deployment.reason = "Deployment cancelled.";
    }
    if (resource.child != k_none) nested.push_back(resource.child);
  }
}

void StackMachine::abort_below(std::size_t index) {
  if (tree_.own_stack(index).status != Status::in_progress) return;
  std::vector<std::size_t> nested;
  abort_running(index, nested);
  set_stack(index, Status::failed,
            cat("Resource ", word(tree_.own_stack(index).action), " failed: Operation cancelled"));
  for (const std::size_t child : nested) abort_below(child);
}

void StackMachine::time_out() { end_all(cat(title(tree_.root().action), " timed out")); }

void StackMachine::cancel() {
  const bool plain = tree_.root().action == Action::update || tree_.root().action == Action::rollback;
  end_all(plain ? "Operation cancelled" : cat("Resource ", word(tree_.root().action), " failed: Operation cancelled"));
}

void StackMachine::mark(std::size_t index, bool unhealthy, const std::string& reason) {
  const ResourceRecord& resource = tree_.own_resource(index);
  if (resource.action == Action::erase) return;
  if (unhealthy) return set(index, Action::check, Status::failed, reason);
  if (resource.action == Action::check && resource.status == Status::failed) {
    set(index, Action::check, Status::complete, reason);
  }
}

void StackMachine::end_all(const std::string& reason) {
  std::vector<std::size_t> nested;
  abort_running(0, nested);
  set_stack(0, Status::failed, reason);
  for (const std::size_t child : nested) abort_below(child);
  tree_.deadline = 0;
  tree_.restoring = false;
  changes_.definition = true;
  tasks_.clear();
}

/// Ends what still ran beside a failure; the stack had failed already.
void StackMachine::end_rest() {
  for (std::size_t i = 0; i < tree_.stacks().size(); ++i) {
    const StackRecord& stack = tree_.own_stack(i);
    if (stack.gone) continue;
    std::vector<std::size_t> nested;
    abort_running(i, nested);
    if (stack.status != Status::in_progress) continue;
    set_stack(i, Status::failed, cat("Resource ", word(stack.action), " failed: Operation cancelled"));
  }
  tree_.deadline = 0;
  changes_.definition = true;
  tasks_.clear();
}

void StackMachine::check_deadlines() {
  if (!tree_.busy()) return;
  const std::int64_t now = around_.lasted();
  if (tree_.deadline != 0 && now >= tree_.deadline) return tree_.running() ? time_out() : end_rest();
  for (std::size_t i = 0; i < tree_.resources().size(); ++i) {
    const ResourceRecord& resource = tree_.resource(i);
    if (resource.gone || resource.status != Status::in_progress) continue;
    const std::int64_t deadline = resource.data.deadline;
    if (deadline == 0 || now < deadline) continue;
    if (resource.role == Role::wait_condition) {
      const std::size_t handle = tree_.find_path(resource.data.handle);
      const Json signals = handle == k_none ? Json::object() : tree_.resource(handle).data.signals;
      std::string received = cat(signals.size(), " of ", resource.data.count, " received");
      if (!signals.empty()) received += cat(" - ", signals.back().value("reason", ""));
      fail_with(i, "WaitConditionTimeout", received);
    } else if (resource.role == Role::deployment && resource.action == Action::erase) {
      complete(i);
    }
  }
  run();
}

}  // namespace hearth::metadata::live
