// The nodes in memory, what was changed since the last commit, and the events of it. Whoever changes a node says so
// here; nothing is promised to anybody before commit() has made it durable.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "bootstrap/node/pace.hpp"
#include "bootstrap/store/node_index.hpp"
#include "bootstrap/store/store.hpp"

namespace hearth::bootstrap {

/// What a commit has made durable.
struct Committed {
  std::vector<std::string> changed;  ///< UUIDs of nodes, new ones included
  std::vector<std::string> removed;
  std::vector<Event> events;
};

class Ledger {
 public:
  /// Nodes whose rows can't be read are set aside: the others are served.
  Ledger(
      Store& store, const Clock& clock, NodeIndex::ManagementOf management_of = [](const Node&) { return ""; });

  [[nodiscard]] Stamp now() const;
  [[nodiscard]] const std::map<std::string, Node>& nodes() const { return nodes_; }
  /// UUIDs, and why their rows can't be read.
  [[nodiscard]] const std::map<std::string, std::string>& set_aside() const { return set_aside_; }
  [[nodiscard]] const Node* by_uuid(const std::string& uuid) const;
  /// By UUID in any spelling, else by name.
  [[nodiscard]] const Node* find(const std::string& id) const;
  [[nodiscard]] const Node* by_mac(const std::string& mac) const;
  [[nodiscard]] const Node* by_port(const std::string& port_uuid) const;
  [[nodiscard]] const Node* by_instance(const std::string& instance_uuid) const;
  /// Those whose management is this, or begins so.
  [[nodiscard]] std::vector<const Node*> by_management(const std::string& id, bool begins = false) const;
  /// Those that stand there: rack_place().
  [[nodiscard]] std::vector<const Node*> by_place(const std::string& place) const;

  /// Nodes that have a job, and those whose machine is_to_be_switched(); as they are now, by UUID.
  [[nodiscard]] std::vector<const Node*> with_job() const;
  [[nodiscard]] std::vector<const Node*> to_be_switched() const;
  /// Likewise, whose consoles are switched on.
  [[nodiscard]] std::vector<const Node*> with_console() const;
  /// Calls `look` with nodes that are available, those that are so for longest first, until it returns true.
  void each_available(const std::function<bool(const Node&)>& look) const;
  /// UUIDs of those that were changed since the last commit.
  [[nodiscard]] const std::set<std::string>& changed() const { return changed_; }
  /// As they are listed: those that were created first, of the same time by UUID. As it was at the last commit.
  [[nodiscard]] const NodeIndex::Ages& by_age() const { return index_.by_age(); }
  /// Likewise.
  [[nodiscard]] const NodeIndex::PortAges& ports_by_age() const { return index_.ports_by_age(); }

  /// The node, to be changed. Throws Error when there is none.
  [[nodiscard]] Node& edit(const std::string& uuid);
  /// The node, for changes of what is not kept (progress): watchers hear of it, nothing is written.
  [[nodiscard]] Node& passing(const std::string& uuid);
  Node& add(Node node);
  void remove(const std::string& uuid);
  /// Documents that are committed together with nodes and events: "allocations/UUID". With what was changed since.
  [[nodiscard]] std::optional<Json> document(const std::string& name) const;
  [[nodiscard]] std::vector<Json> documents(const std::string& prefix) const;
  void put_document(const std::string& name, Json body) { documents_[name] = std::move(body); }
  void remove_document(const std::string& name) { documents_[name] = nullptr; }
  /// Events from now on are told as the doing of this person ("who" in their detail); empty = of nobody.
  void act_for(std::string who) { actor_ = std::move(who); }
  void record(const Node& node, std::string kind, std::string text, Json detail = Json::object());
  void record_site(std::string kind, std::string text, Json detail = Json::object());

  /// How long it takes to keep changes goes there.
  void measure(Pace& pace) { pace_ = &pace; }
  /// Makes everything durable; then tells the watchers. Where that fails, all is as it was at the last commit, and the
  /// error is thrown: nobody is shown what was never kept. Where the state lives elsewhere it is durable, and told,
  /// when Store::kept() has come to Store::written().
  void commit();
  /// Why the last change could not be kept; empty where it was.
  [[nodiscard]] const std::string& unkept() const { return unkept_; }
  /// Tells the watchers of what has become durable.
  void tell_kept();
  /// Whether the node is as it was told last: what it is now, the watchers are told when that is durable.
  [[nodiscard]] bool is_as_told(const std::string& uuid) const { return !untold_nodes_.contains(uuid); }
  /// Nothing is changed that is not durable.
  [[nodiscard]] bool is_committed() const {
    return changed_.empty() && removed_.empty() && documents_.empty() && events_.empty();
  }
  /// A watcher only looks: it must not change nodes.
  void watch(std::function<void(const Committed&)> watcher) { watchers_.push_back(std::move(watcher)); }
  void watch(std::function<void(const Event&)> watcher);
  [[nodiscard]] Store& store() { return store_; }

 private:
  struct Untold {
    std::uint64_t number;
    Committed committed;
  };
  /// New, or in the place of what was there.
  Node& take(Node node);
  void drop(const std::string& uuid);
  /// Throws Error when there is none.
  [[nodiscard]] Node& existing(const std::string& uuid);
  void roll_back();
  void hold(Untold untold);
  [[nodiscard]] std::vector<const Node*> of_these(const std::set<std::string>& kept, bool (*holds)(const Node&)) const;
  [[nodiscard]] const Node* holder(const NodeIndex::Keys& keys, const std::string& word,
                                   bool (*has)(const Node&, const std::string&)) const;
  [[nodiscard]] Json with_actor(Json detail) const;

  Store& store_;
  const Clock& clock_;
  std::map<std::string, Node> nodes_;                    ///< in order, for who goes through all
  std::unordered_map<std::string_view, Node*> by_uuid_;  ///< where each of them is: a hall has 100,000
  std::map<std::string, std::string> set_aside_;
  NodeIndex index_;  ///< of what is committed: nodes in changed_ are looked at themselves
  std::set<std::string> changed_;
  std::set<std::string> passing_;
  std::vector<std::string> removed_;
  Documents documents_;
  std::vector<Event> events_;
  std::string actor_;
  Pace* pace_ = nullptr;
  std::string unkept_;
  std::vector<std::function<void(const Committed&)>> watchers_;
  std::deque<Untold> untold_;
  std::multiset<std::string> untold_nodes_;  ///< those changed, of all of these
};

}  // namespace hearth::bootstrap
