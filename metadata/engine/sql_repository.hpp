// The repository in a relational database: an SQLite file, or PostgreSQL.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/sql/database.hpp"
#include "metadata/engine/repository.hpp"

namespace hearth::metadata::live {

class SqlRepository final : public Repository {
 public:
  /// A file, or a URL (base/sql/database.hpp). Tables are made where there are none; those of a newer version are
  /// refused.
  explicit SqlRepository(const std::string& place) : SqlRepository(sql::Database(place)) {}
  explicit SqlRepository(sql::Database database);

  void check() override;
  [[nodiscard]] StoredStacks load() override;
  void save(StackTree& tree, Changes& changes) override;
  void remove(const std::string& tree_id) override;
  [[nodiscard]] std::vector<Event> events(const EventQuery& query) override;
  [[nodiscard]] std::optional<Event> event(const std::string& id) override;
  [[nodiscard]] std::optional<StoredObject> object(const std::string& path) override;
  void put_object(const std::string& path, const StoredObject& object) override;
  bool remove_object(const std::string& path) override;
  [[nodiscard]] std::string setting(const std::string& name) override;
  void set(const std::string& name, const std::string& value) override;
  void unset(const std::string& name) override;
  [[nodiscard]] std::vector<std::string> settings_below(const std::string& prefix) override;

 private:
  void save_tree(const StackTree& tree);
  void save_resource(StackTree& tree, std::size_t resource);
  void save_event(Event& event);
  void erase_stack(Stack& stack);
  void prune_events(const StackTree& tree, const std::vector<Event>& fresh);
  [[nodiscard]] StackTree load_tree(const std::string& id, const std::string& data);
  [[nodiscard]] SetAside unreadable(const std::string& id, const std::string& data, std::string why);

  sql::Database database_;
  sql::Statement save_stack_;
  sql::Statement insert_resource_;
  sql::Statement update_resource_;
  sql::Statement insert_event_;
  std::unordered_map<std::string, std::size_t> unpruned_;  ///< events by stack since its oldest ones went
};

}  // namespace hearth::metadata::live
