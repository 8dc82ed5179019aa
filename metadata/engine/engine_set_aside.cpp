// Stacks that can't be served: one row that can't be read, or one template that can't be made anything of, keeps
// neither the others nor the next start. They are told of, and can be deleted; everything else waits until they can be
// served.
#include "base/foreign_json.hpp"
#include "base/sql/database.hpp"
#include "base/text.hpp"
#include "metadata/engine/engine.hpp"
#include "metadata/engine/records_json.hpp"

namespace hearth::metadata::live {

StackSetAside::StackSetAside(const SetAside& stack)
    : Error(ErrorKind::unsupported,
            cat("The Stack (", stack.name, ") is set aside: ", stack.why,
                ". It is kept as it is. Start the hearth that wrote it, put the state back from "
                "a backup, or delete the stack")) {}

/// False where that failed, for the stack alone. Where the store fails, that is nobody's own.
bool Engine::attempt(const std::string& id, const std::function<void(LiveTree&)>& work) {
  const auto found = trees_.find(id);
  if (found == trees_.end()) return true;
  std::string why;
  try {
    work(*found->second);
    return true;
  } catch (const sql::StoreError&) {
    throw;
  } catch (const Json::exception& error) {
    why = json_fault(error);
  } catch (const Error& error) {
    why = error.what();
  }
  failed_[id] = why;
  const auto still = trees_.find(id);  // all may have been read again
  if (still != trees_.end()) put_aside(*still->second, why);
  return false;
}

void Engine::put_aside(const LiveTree& live, std::string why) {
  SetAside stack{live.tree.id, live.tree.name, live.tree.project, std::move(why)};
  for (const ResourceRecord& resource : live.tree.resources()) {
    for (std::string& credential : credentials_in(to_json(resource))) {
      stack.credentials.push_back(std::move(credential));
    }
  }
  put_aside(std::move(stack));
}

void Engine::put_aside(SetAside stack) {
  const std::string id = stack.id;
  forget(id);
  for (const std::string& credential : stack.credentials) held_credentials_[credential] = id;
  const SetAside& kept = aside_[id] = std::move(stack);
  if (std::exchange(told_[id], kept.why) == kept.why) return;
  world_.log.error(cat("the stack ", kept.name, " (", id, ") of project ", kept.project,
                       " is set aside, the others are served: ", kept.why,
                       ". Start the hearth that wrote it, put the state directory back from a backup (`hearth help "
                       "backup-and-upgrade`), or delete it: hearth stack delete ",
                       kept.name));
}

const SetAside* Engine::find_set_aside(const std::string& name_or_id, const std::string& project) const {
  if (const auto found = aside_.find(name_or_id); found != aside_.end()) return &found->second;
  for (const auto& [id, stack] : aside_) {
    if (stack.name == name_or_id && stack.project == project) return &stack;
  }
  return nullptr;
}

void Engine::drop_set_aside(const std::string& id) {
  try {
    world_.repository.remove(id);
  } catch (const sql::StoreError& error) {
    store_failed(error);
    throw;
  }
  std::erase_if(held_credentials_, [&](const auto& entry) { return entry.second == id; });
  failed_.erase(id);
  told_.erase(id);
  aside_.erase(id);  // last: `id` may be its own
}

/// An agent of such a stack is not told that its key is worth nothing, nor is its signal taken for an object of nobody.
void Engine::require_served(const std::string& credential) const {
  const auto held = held_credentials_.find(credential);
  if (held == held_credentials_.end()) return;
  const auto stack = aside_.find(held->second);
  if (stack != aside_.end()) throw StackSetAside(stack->second);
}

}  // namespace hearth::metadata::live
