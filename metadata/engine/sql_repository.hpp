// The repository in a relational database: an SQLite file, or PostgreSQL.
//
// What templates, requests, machines and people brought is sealed (seal.hpp): hidden parameters are in much of it. In
// the clear are only ids, names, paths of objects, and types, states and times of events. The row `sealed` of the table
// setting says with which key, `unwiped` how pages of the file may hold what was there before: k_in_clear, k_in_seal.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/sql/database.hpp"
#include "base/sys/seal.hpp"
#include "metadata/engine/repository.hpp"

namespace hearth::metadata::live {

class SqlRepository final : public Repository {
 public:
  /// A file, or a URL (base/sql/database.hpp). Tables are made where there are none; those of a newer version are
  /// refused. `keys`: the file of keys, which is made where nothing is sealed yet; all is sealed with its first key
  /// when this returns, or with the former one where that can't be done now. Empty = nothing is sealed.
  explicit SqlRepository(const std::string& place, const fs::path& keys = {})
      : SqlRepository(sql::Database(place), keys) {}
  explicit SqlRepository(sql::Database database, fs::path keys = {});

  /// Of the key with which all is sealed; there has to be one.
  [[nodiscard]] const std::string& sealed_with() const { return seal_.key_id(); }
  /// Why it is not sealed with the first key, or free pages hold what another one sealed; empty when all is done.
  [[nodiscard]] const std::string& put_off() const { return put_off_; }

  /// Whether the file of keys got another first key since it was read last, with which all is sealed now. What free
  /// pages hold that the former one sealed goes at the next start. Throws Error, and then all is as it was, and the
  /// file is looked at only when it changes, or with `again`.
  bool seal_anew(bool again = false);

  /// See sql::Database. Called between two rows of many that are read, too.
  void meanwhile(const std::function<void()>& others);

  /// Of the file of keys, where it was removed while the database is in use; whether it was.
  [[nodiscard]] bool put_back_keys() const { return seal_.put_back(); }

  void check() override;
  [[nodiscard]] StoredStacks load() override;
  void save(StackTree& tree, Changes& changes) override;
  void remove(const std::string& tree_id) override;
  [[nodiscard]] bool has_stacks() override;
  [[nodiscard]] std::vector<EventRecord> events(const EventQuery& query) override;
  [[nodiscard]] std::optional<EventRecord> event(const std::string& id) override;
  [[nodiscard]] std::optional<StoredObject> object(const std::string& path) override;
  void put_object(const std::string& path, const StoredObject& object) override;
  bool remove_object(const std::string& path) override;
  [[nodiscard]] std::string setting(const std::string& name) override;
  void set(const std::string& name, const std::string& value) override;
  void unset(const std::string& name) override;
  [[nodiscard]] std::vector<std::string> settings_below(const std::string& prefix) override;

 private:
  void take_seal();
  void take_seal_again();
  void seal_all(const std::string& before);
  void seal_rows(const struct SealedColumn& column, const std::string& before);
  [[nodiscard]] std::optional<std::string> sealed_anew(const std::string& table, const std::string& key,
                                                       const std::string& place, const std::string& text,
                                                       const std::string& before) const;
  void seal_and_wipe();
  void wipe();
  void empty_log();
  [[nodiscard]] std::string opened(std::string_view table, std::string_view of, std::string_view id,
                                   std::string_view sealed) const;
  [[nodiscard]] std::string raw_setting(const std::string& name);
  void set_raw(const std::string& name, std::string_view value);
  [[nodiscard]] std::string tree_row(const std::string& id, const Json& data, std::string_view text) const;
  [[nodiscard]] std::string opened_tree(const std::string& id, const std::string& row) const;
  [[nodiscard]] EventRecord event_of(const sql::Statement& row) const;
  void save_tree(const StackTree& tree);
  void save_resource(StackTree& tree, std::size_t index);
  void save_event(EventRecord& event);
  void erase_stack(StackRecord& stack);
  void prune_events(const StackTree& tree, const std::vector<EventRecord>& fresh);
  struct TreeRow {
    std::string id;
    std::string data;
    std::int64_t number;
  };
  /// Of the tables stack (no number) and resource.
  struct PartRow {
    std::int64_t row;
    std::string stack;
    std::string data;
  };
  struct PartRows {
    std::vector<PartRow> stacks;
    std::vector<PartRow> resources;
  };
  /// By tree, of those whose ids are from `first` to `last`.
  [[nodiscard]] std::map<std::string, PartRows> parts_between(const std::string& first, const std::string& last);
  [[nodiscard]] StackTree tree_of(const std::string& id, const std::string& text, const PartRows& parts);
  [[nodiscard]] SetAside unreadable(const std::string& id, const std::string& data, std::string why);

  fs::path keys_;
  Seal seal_;
  std::string put_off_;
  std::function<void()> breathe_ = [] {};  ///< while all is sealed anew, or read
  bool is_new_ = false;                    ///< its tables were made now
  sql::Database database_;
  sql::Statement save_stack_;
  sql::Statement insert_resource_;
  sql::Statement update_resource_;
  sql::Statement insert_event_;
  std::unordered_map<std::string, std::size_t> unpruned_;  ///< events by stack since its oldest ones went
};

}  // namespace hearth::metadata::live
