// A live stack with its nested stacks, in memory: found by path, by id, by name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "metadata/engine/records.hpp"

namespace hearth::metadata::live {

/// "Compute.0" below "" is "Compute.0"; below "a" it is "a.Compute.0".
[[nodiscard]] std::string path_below(const std::string& stack_path, const std::string& name);

class StackTree {
 public:
  std::string id;    ///< of the root stack
  std::string name;  ///< of the root stack
  std::string project;
  Json body;                  ///< the definition, with timeout_mins, disable_rollback, tags
  Json previous_body;         ///< before the running update: where a rollback goes
  std::size_t era = 0;        ///< how many updates there were
  bool restoring = false;     ///< a rollback goes back to what was, in place of deleting
  Json adopted;               ///< while it is being adopted: the export that it comes from; not kept
  std::int64_t deadline = 0;  ///< of the running operation, Unix seconds; 0 = none

  /// Another one like it; many rows take their time.
  [[nodiscard]] StackTree copied(const std::function<void()>& breathe) const;
  /// Adds a stack and, in state INIT, its resources. `parent_resource` is k_none for the root.
  std::size_t add_stack(const PlannedStack& plan, std::size_t parent_resource, std::int64_t now);
  std::size_t add_resource(std::size_t stack, const PlannedResource& plan, std::int64_t now);
  /// Puts rows that were read from the repository in place; link() when all are there.
  void restore(Stack stack) { stacks_.push_back(std::move(stack)); }
  void restore(Resource resource, const std::string& stack_id);
  void link();
  /// Forgets a stack with everything below it.
  void drop_stack(std::size_t stack);
  void drop_resource(std::size_t resource);
  /// Takes out what is gone, where that is much of it: updates leave their numbers behind. Only while nothing is going
  /// on. Returns where each resource is now, k_none for what went; nothing where all stayed as it was.
  std::vector<std::size_t> compact();
  /// Sets `needed_by` of a stack's resources from their `needs`.
  void connect(std::size_t stack);

  [[nodiscard]] Stack& stack(std::size_t index) { return stacks_[index]; }
  [[nodiscard]] const Stack& stack(std::size_t index) const { return stacks_[index]; }
  [[nodiscard]] Resource& resource(std::size_t index) { return resources_[index]; }
  [[nodiscard]] const Resource& resource(std::size_t index) const { return resources_[index]; }
  [[nodiscard]] const std::vector<Stack>& stacks() const { return stacks_; }
  [[nodiscard]] const std::vector<Resource>& resources() const { return resources_; }
  [[nodiscard]] const Stack& root() const { return stacks_.front(); }
  /// A failure ends only what needs what failed (as in Heat's convergence), and not all that runs beside it.
  [[nodiscard]] bool goes_on_after_failure() const {
    const auto found = body.is_object() ? body.find("on_failure") : body.end();
    return body.is_object() && found != body.end() && *found == "continue";
  }
  [[nodiscard]] bool running() const { return !stacks_.empty() && root().status == Status::in_progress; }
  /// Something is going on: it runs, or what ran beside a failure still does.
  [[nodiscard]] bool busy() const;

  /// k_none where there is none.
  [[nodiscard]] std::size_t find_stack(const std::string& id_or_name) const;
  [[nodiscard]] std::size_t find_resource(std::size_t stack, const std::string& resource_name) const;
  [[nodiscard]] std::size_t find_path(const std::string& path) const;

 private:
  std::vector<Stack> stacks_;
  std::vector<Resource> resources_;
  std::size_t gone_ = 0;  ///< of the resources
  std::unordered_map<std::string, std::size_t> by_path_;
  std::unordered_map<std::string, std::size_t> stack_by_key_;
};

}  // namespace hearth::metadata::live
