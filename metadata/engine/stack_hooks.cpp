// Hooks: a resource pauses before or after an action until a person clears it (a signal {"unset_hook": "pre-create"}).
// Heat keeps no other trace of it than events, by which the field's client finds what is paused.
#include <algorithm>

#include "base/text.hpp"
#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

/// True when the resource stops here; false when it has no such hook or that was cleared.
bool StackMachine::pauses(std::size_t index, const char* when, Action action) {
  ResourceRecord& resource = tree_.own_resource(index);
  if (resource.hooks.empty()) return false;
  const std::string hook = cat(when, "-", to_lower(word(action)));
  if (std::find(resource.hooks.begin(), resource.hooks.end(), hook) == resource.hooks.end()) return false;
  if (resource.data.cleared == hook) {
    resource.data.cleared.clear();
    return false;
  }
  resource.data.hook = hook;
  changes_.resources.insert(index);
  record(tree_.own_stack(resource.stack), &resource, status_text(resource.action, resource.status),
         cat(word(action), " paused until Hook ", hook, " is cleared"));
  return true;
}

SignalOutcome StackMachine::release(std::size_t index, const std::string& hook) {
  ResourceRecord& resource = tree_.own_resource(index);
  if (resource.data.hook.empty() || resource.data.hook != hook) {
    return {SignalOutcome::Kind::bad, cat("The \"", hook, "\" hook is not defined on ", resource.name)};
  }
  resource.data.hook.clear();
  changes_.resources.insert(index);
  record(tree_.own_stack(resource.stack), &resource, status_text(resource.action, resource.status),
         cat("Hook ", hook, " is cleared"));
  if (hook.rfind("post-", 0) == 0) {
    done(index);
  } else {
    resource.data.cleared = hook;
    resource.visited = false;
    visit(index);
  }
  run();
  return {};
}

}  // namespace hearth::metadata::live
