// What the conductor keeps: nodes, events, settings, in one SQLite file. What changes together is committed together.
// Where the state lives in a database elsewhere (home.hpp), the file is a copy that is made anew at each start: all is
// read from it, and what is committed is durable when the home has it.
//
// Nodes and documents are sealed (base/sys/seal.hpp), as passwords of BMCs, tokens of agents and people's user data are
// in them: the keys are in `seal-key` beside the file. In the clear are only UUIDs, names of documents, and events,
// which hold no secret.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/sql/database.hpp"
#include "base/sys/later_sync.hpp"
#include "base/sys/seal.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/store/home.hpp"

namespace hearth::bootstrap {

/// Something that happened, kept for good.
struct Event {
  std::int64_t id = 0;  ///< counts up from 1; 0 = not yet stored
  Stamp at = 0;
  std::string node;   ///< UUID; empty = of the site
  std::string title;  ///< the node's name then
  std::string kind;   ///< "state", "power", "instruction", "agent", "inventory", "image", "refused"
  std::string text;   ///< for people
  Json detail = Json::object();
};
[[nodiscard]] Json event_json(const Event& event);

struct EventQuery {
  std::int64_t after = 0;
  std::int64_t limit = 1000;
  std::string node;         ///< UUID; empty = all
  bool newest = false;      ///< the last ones, still in order
  std::int64_t before = 0;  ///< only older ones; 0 = all
};

/// In a state directory whose state lives elsewhere: where.
constexpr const char* k_home_file = "database";
/// From now on it is known that the directory's state lives there, as it is told to people.
void keep_home_name(const fs::path& directory, const std::string& name);
/// Throws Error where the directory's state lives elsewhere.
void check_is_at_home(const fs::path& directory);
/// Throws Error where it lives elsewhere than in `url` (empty: not asked); a password and what is behind ? may differ.
void check_is_its_home(const fs::path& directory, const std::string& url);

/// Throws Error where the directory has a state of its own, so that it can be no copy of another.
void check_has_no_state(const fs::path& directory);
/// Its database went back to before what it had acknowledged (term.hpp): nobody serves it from this directory until a
/// person has looked. `why` stands in a file there.
void keep_went_back(const fs::path& directory, const std::string& why);
/// Throws Error where it was so.
void check_did_not_go_back(const fs::path& directory);

/// A document by its name; null = it is gone.
using Documents = std::map<std::string, Json>;

/// Writes the state that lives at the URL into a new file, as Store has it, also while it is served. As of one moment.
/// The leases of that moment, as lines of pxe's journal.
[[nodiscard]] std::string save_home(const std::string& url, const std::string& file);
/// Puts the state of a file of Store's, in which all is sealed, to the URL, where none may be yet; all or nothing.
void load_home(const std::string& file, const std::string& url);

class Store {
 public:
  /// Opens or creates; a file of a newer version is refused, and one whose key is missing. What an older Hearth kept in
  /// the clear, or another key sealed, is sealed with the first key when this returns, and wiped from free pages.
  /// ":memory:" for tests, in the clear. A directory whose state lives elsewhere is refused.
  explicit Store(const std::string& path);
  /// The state of `home`, with a copy in `directory`, which must have none of its own. Whose state `directory` is for
  /// stands there from now on.
  Store(const fs::path& directory, std::unique_ptr<Home> home);
  /// Null where the file is all there is.
  [[nodiscard]] Home* home() { return home_.get(); }
  /// From now on a commit waits neither for a home nor for the disk: a thread makes durable what was committed. `news`:
  /// from that thread, when what is told below has changed. Start it when no rights are to be given up any more.
  void keep_beside(std::function<void()> news);
  /// What was committed gets some seconds yet to become durable. Where it does not, it is lost: then this is not to be
  /// destroyed, for it would wait for the disk, and move into the database what the disk may not have.
  void end();
  /// Whether a commit may be durable later than when it returns.
  [[nodiscard]] bool keeps_later() const { return home_ || beside_; }
  /// Changes are counted; those up to kept() are durable, which all are at once where keeps_later() is false.
  [[nodiscard]] std::uint64_t written() const { return home_ ? home_->added() : beside_ ? beside_->written() : 0; }
  [[nodiscard]] std::uint64_t kept() const { return home_ ? home_->kept() : beside_ ? beside_->kept() : 0; }
  /// Why nothing can be kept at this time; empty when all is well.
  [[nodiscard]] std::string trouble() const;
  /// What was committed, and is not kept(), may never be: nothing that waits for it was promised to anybody.
  [[nodiscard]] bool is_lost() const { return home_ ? home_->is_lost() : beside_ && beside_->is_lost(); }
  /// The longest that the disk took to keep something since this was asked last.
  [[nodiscard]] Duration longest_flush() const { return beside_ ? beside_->longest() : Duration{}; }
  /// Throws StoreError where nothing can be kept now, and so nothing is to be begun.
  void check() const;
  /// Why it is sealed with a former key yet: a rotation had no room. Nothing in the clear is put off.
  [[nodiscard]] const std::string& put_off() const { return put_off_; }
  /// The file of keys, where somebody removed it beside us: at our end all would be lost. Whether it was so.
  [[nodiscard]] bool put_back_key() const { return seal_.put_back(); }

  /// After `hearth metadata seal rotate`: seals all with the new key, which is done at once. Whether it was. `again`:
  /// also where the file of keys is as it was at the last try. Throws Error, and the former key serves on.
  [[nodiscard]] bool seal_anew(bool again);

  /// A row that can't be read: whose, and why. It is left as it is.
  using Unreadable = std::function<void(const std::string& uuid, const std::string& why)>;
  /// Without `unreadable` such a row throws Error.
  [[nodiscard]] std::vector<Node> nodes(const Unreadable& unreadable = {});
  [[nodiscard]] std::optional<Node> node(const std::string& uuid);
  /// One transaction. Events get their ids.
  void commit(const std::vector<const Node*>& changed, const std::vector<std::string>& removed,
              std::vector<Event>& events, const Documents& documents = {});
  [[nodiscard]] std::vector<Event> events(const EventQuery& query);
  [[nodiscard]] std::int64_t last_event();
  /// Forgets all events but the last ones.
  void keep_events(std::int64_t count);

  /// Documents by name: "introspection/UUID", "image/NAME".
  [[nodiscard]] std::optional<Json> document(const std::string& name);
  void put_document(const std::string& name, const Json& document);
  void remove_document(const std::string& name);
  [[nodiscard]] std::vector<std::pair<std::string, Json>> documents(const std::string& prefix);

 private:
  Store(std::unique_ptr<Home> home, const std::string& path);
  void copy_home();
  void hand_over();
  void keep_node(const Node& node);
  void drop_node(const std::string& uuid);
  void keep_document(const std::string& name, const Json& document);
  void drop_document(const std::string& name);
  void keep_event(Event& event);
  void take_seal(const std::string& path);
  void seal_all(const std::string& before);
  void wipe();
  [[nodiscard]] std::string setting(std::string_view name);
  void set(std::string_view name, std::string_view value);
  [[nodiscard]] Node opened_node(const std::string& uuid, const std::string& sealed) const;
  [[nodiscard]] Json opened_document(const std::string& name, const std::string& sealed) const;

  std::unique_ptr<Home> home_;
  Change change_;  ///< what the transaction has changed, for the home
  std::string path_;
  sql::Database database_;
  std::unique_ptr<LaterSync> beside_;
  Seal seal_;
  fs::path keys_;
  std::string put_off_;
  sql::Statement save_node_;
  sql::Statement remove_node_;
  sql::Statement add_event_;
};

/// Throws Error(usage) where it is no URL of PostgreSQL.
void check_database_url(const std::string& url);
/// The state of the directory: in it, or where the URL says (empty: in it).
[[nodiscard]] Store open_store(const fs::path& directory, const std::string& url, const Claim& claim = {});

}  // namespace hearth::bootstrap
