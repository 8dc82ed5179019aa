// Where live stacks are kept. One call is one transaction: when it returns, what it was told survives kill -9.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

struct StoredObject {
  std::string body;
  std::string content_type;
  std::int64_t modified = 0;
};

/// A stack that can't be served: its rows can't be read, or nothing can be made of them. They stay as they are kept.
struct SetAside {
  std::string id;
  std::string name;  ///< its id, where that can't be read either
  std::string project;
  std::string why;
  std::vector<std::string> credentials{};  ///< key ids and objects' names of its agents, as far as they can be read
};

struct StoredStacks {
  std::vector<StackTree> trees;
  std::vector<SetAside> unreadable;
};

/// Which events, oldest first.
struct EventQuery {
  std::vector<std::string> stacks;  ///< UUIDs
  std::string resource;             ///< empty = of all
  std::int64_t after = 0;           ///< numbers above this
  std::size_t limit = 0;            ///< 0 = all
};

class Repository {
 public:
  virtual ~Repository() = default;
  /// Throws sql::StoreError where somebody else has driven the store meanwhile, or it can't be reached.
  virtual void check() {}
  /// A stack that can't be read keeps none of the others from being so.
  [[nodiscard]] virtual StoredStacks load() = 0;
  /// Writes what changed, numbers the rows and the events.
  virtual void save(StackTree& tree, Changes& changes) = 0;
  virtual void remove(const std::string& tree_id) = 0;
  /// Whether there is any, readable or not.
  [[nodiscard]] virtual bool has_stacks() = 0;
  [[nodiscard]] virtual std::vector<EventRecord> events(const EventQuery& query) = 0;
  [[nodiscard]] virtual std::optional<EventRecord> event(const std::string& id) = 0;

  [[nodiscard]] virtual std::optional<StoredObject> object(const std::string& path) = 0;
  virtual void put_object(const std::string& path, const StoredObject& object) = 0;
  virtual bool remove_object(const std::string& path) = 0;

  /// Small things by name: secrets, retired servers.
  [[nodiscard]] virtual std::string setting(const std::string& name) = 0;
  virtual void set(const std::string& name, const std::string& value) = 0;
  virtual void unset(const std::string& name) = 0;
  [[nodiscard]] virtual std::vector<std::string> settings_below(const std::string& prefix) = 0;
};

}  // namespace hearth::metadata::live
