#include "bootstrap/store/ledger.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

Ledger::Ledger(Store& store, const Clock& clock, NodeIndex::ManagementOf management_of)
    : store_(store), clock_(clock), index_(std::move(management_of)) {
  const auto aside = [&](const std::string& uuid, const std::string& why) { set_aside_[uuid] = why; };
  for (Node& node : store_.nodes(aside)) {
    index_.put(node);
    take(std::move(node));
  }
}

Node& Ledger::take(Node node) {
  const std::string uuid = node.uuid;
  const auto [at, is_new] = nodes_.insert_or_assign(uuid, std::move(node));
  if (is_new) by_uuid_.emplace(at->first, &at->second);
  return at->second;
}

void Ledger::drop(const std::string& uuid) {
  by_uuid_.erase(uuid);  // first: its key is the other's
  nodes_.erase(uuid);
}

Node& Ledger::existing(const std::string& uuid) {
  const auto found = by_uuid_.find(uuid);
  if (found == by_uuid_.end()) throw Error(ErrorKind::not_found, cat("Node ", uuid, " could not be found."));
  return *found->second;
}

Stamp Ledger::now() const { return unix_microseconds(clock_.wall()); }

const Node* Ledger::by_uuid(const std::string& uuid) const {
  const auto found = by_uuid_.find(uuid);
  return found == by_uuid_.end() ? nullptr : found->second;
}

/// In the index a word may be one that a node had before it was changed.
const Node* Ledger::holder(const NodeIndex::Keys& keys, const std::string& word,
                           bool (*has)(const Node&, const std::string&)) const {
  for (auto [at, end] = keys.equal_range(word); at != end; ++at) {
    const Node* node = by_uuid(at->second);
    if (node != nullptr && has(*node, word)) return node;
  }
  for (const std::string& uuid : changed_) {
    const Node* node = by_uuid(uuid);
    if (node != nullptr && has(*node, word)) return node;
  }
  return nullptr;
}

const Node* Ledger::find(const std::string& id) const {
  if (id.empty()) return nullptr;
  if (const std::optional<std::string> uuid = parse_uuid(id)) return by_uuid(*uuid);
  return holder(index_.names(), id, [](const Node& node, const std::string& name) { return node.name == name; });
}

const Node* Ledger::by_mac(const std::string& mac) const {
  return holder(index_.macs(), mac, [](const Node& node, const std::string& wanted) { return node.has_mac(wanted); });
}

const Node* Ledger::by_port(const std::string& port_uuid) const {
  return holder(index_.ports(), port_uuid, [](const Node& node, const std::string& wanted) {
    return std::any_of(node.ports.begin(), node.ports.end(), [&](const Port& port) { return port.uuid == wanted; });
  });
}

const Node* Ledger::by_instance(const std::string& instance_uuid) const {
  return holder(index_.instances(), instance_uuid,
                [](const Node& node, const std::string& wanted) { return node.instance_uuid == wanted; });
}

std::vector<const Node*> Ledger::by_management(const std::string& id, bool begins) const {
  const auto is_it = [&](const std::string& found) { return begins ? found.starts_with(id) : found == id; };
  std::set<std::string> candidates = changed_;
  for (auto at = index_.managements().lower_bound({id, ""}); at != index_.managements().end() && is_it(at->first); ++at)
    candidates.insert(at->second);
  std::vector<const Node*> found;
  for (const std::string& uuid : candidates) {
    const Node* node = by_uuid(uuid);
    if (node != nullptr && is_it(index_.management_of(*node))) found.push_back(node);
  }
  return found;
}

std::vector<const Node*> Ledger::by_place(const std::string& place) const {
  std::set<std::string> candidates = changed_;
  for (auto [at, end] = index_.places().equal_range(place); at != end; ++at) candidates.insert(at->second);
  std::vector<const Node*> found;
  for (const std::string& uuid : candidates) {
    const Node* node = by_uuid(uuid);
    if (node != nullptr && rack_place(node->extra) == place) found.push_back(node);
  }
  return found;
}

void Ledger::each_available(const std::function<bool(const Node&)>& look) const {
  NodeIndex::Ages now;  // of those that may be otherwise by now
  for (const std::string& uuid : changed_) {
    const Node* node = by_uuid(uuid);
    if (node != nullptr && is_available(*node)) now.emplace(node->provision_updated, uuid);
  }
  auto next = now.begin();
  for (const auto& kept : index_.available()) {
    for (; next != now.end() && *next < kept; ++next) {
      if (look(*by_uuid(next->second))) return;
    }
    const Node* node = changed_.contains(kept.second) ? nullptr : by_uuid(kept.second);
    if (node != nullptr && look(*node)) return;
  }
  for (; next != now.end(); ++next) {
    if (look(*by_uuid(next->second))) return;
  }
}

std::vector<const Node*> Ledger::of_these(const std::set<std::string>& kept, bool (*holds)(const Node&)) const {
  std::vector<std::string> candidates;
  std::set_union(kept.begin(), kept.end(), changed_.begin(), changed_.end(), std::back_inserter(candidates));
  std::vector<const Node*> found;
  for (const std::string& uuid : candidates) {
    const Node* node = by_uuid(uuid);
    if (node != nullptr && holds(*node)) found.push_back(node);
  }
  return found;
}

std::vector<const Node*> Ledger::with_job() const {
  return of_these(index_.with_job(), [](const Node& node) { return node.job.running(); });
}

std::vector<const Node*> Ledger::to_be_switched() const { return of_these(index_.to_be_switched(), is_to_be_switched); }

std::vector<const Node*> Ledger::with_console() const { return of_these(index_.with_console(), has_console_on); }

Node& Ledger::edit(const std::string& uuid) {
  Node& node = existing(uuid);
  changed_.insert(uuid);
  return node;
}

Node& Ledger::passing(const std::string& uuid) {
  Node& node = existing(uuid);
  passing_.insert(uuid);
  return node;
}

Node& Ledger::add(Node node) {
  std::erase(removed_, node.uuid);
  changed_.insert(node.uuid);
  return take(std::move(node));
}

void Ledger::remove(const std::string& uuid) {
  drop(uuid);
  changed_.erase(uuid);
  passing_.erase(uuid);
  removed_.push_back(uuid);
}

std::optional<Json> Ledger::document(const std::string& name) const {
  const auto changed = documents_.find(name);
  if (changed == documents_.end()) return store_.document(name);
  return changed->second.is_null() ? std::nullopt : std::optional(changed->second);
}

std::vector<Json> Ledger::documents(const std::string& prefix) const {
  Documents found;
  for (auto& [name, body] : store_.documents(prefix)) found.emplace(name, std::move(body));
  for (const auto& [name, body] : documents_) {
    if (name.rfind(prefix, 0) == 0) found[name] = body;
  }
  std::vector<Json> bodies;
  for (auto& [name, body] : found) {
    if (!body.is_null()) bodies.push_back(std::move(body));
  }
  return bodies;
}

Json Ledger::with_actor(Json detail) const {
  if (!actor_.empty() && detail.is_object()) detail["who"] = actor_;
  return detail;
}

void Ledger::record(const Node& node, std::string kind, std::string text, Json detail) {
  events_.push_back(
      {0, now(), node.uuid, node.title(), std::move(kind), std::move(text), with_actor(std::move(detail))});
}

void Ledger::record_site(std::string kind, std::string text, Json detail) {
  events_.push_back({0, now(), "", "", std::move(kind), std::move(text), with_actor(std::move(detail))});
}

void Ledger::watch(std::function<void(const Event&)> watcher) {
  watch([watcher = std::move(watcher)](const Committed& committed) {
    for (const Event& event : committed.events) watcher(event);
  });
}

void Ledger::roll_back() {
  for (const std::string& uuid : removed_) changed_.insert(uuid);
  for (const std::string& uuid : changed_) {
    drop(uuid);
    if (std::optional<Node> kept = store_.node(uuid)) take(std::move(*kept));
  }
  changed_.clear();
  removed_.clear();
  passing_.clear();
  documents_.clear();
  events_.clear();
}

void Ledger::commit() {
  std::vector<const Node*> changed;
  for (const std::string& uuid : changed_) changed.push_back(by_uuid(uuid));
  const MonotonicTime begun = clock_.now();
  try {
    store_.commit(changed, removed_, events_, documents_);
    if (pace_ != nullptr) pace_->took("store", clock_.now() - begun, clock_.now());
    if (!changed.empty() || !removed_.empty() || !events_.empty() || !documents_.empty()) unkept_.clear();
  } catch (const std::exception& error) {
    unkept_ = error.what();
    if (pace_ != nullptr) pace_->took("store refused", clock_.now() - begun, clock_.now(), error.what());
    roll_back();
    throw;
  }
  for (const std::string& uuid : removed_) index_.remove(uuid);
  for (const Node* node : changed) index_.put(*node);
  changed_.merge(passing_);
  passing_.clear();
  Committed committed{{changed_.begin(), changed_.end()}, std::move(removed_), std::move(events_)};
  changed_.clear();
  removed_.clear();
  documents_.clear();
  events_.clear();
  if (!committed.changed.empty() || !committed.removed.empty() || !committed.events.empty())
    hold({store_.written(), std::move(committed)});
  tell_kept();
}

void Ledger::hold(Untold untold) {
  untold_nodes_.insert(untold.committed.changed.begin(), untold.committed.changed.end());
  untold_.push_back(std::move(untold));
}

void Ledger::tell_kept() {
  while (!untold_.empty() && untold_.front().number <= store_.kept()) {
    const Untold next = std::move(untold_.front());
    untold_.pop_front();
    for (const std::string& uuid : next.committed.changed) untold_nodes_.erase(untold_nodes_.find(uuid));
    for (const auto& watcher : watchers_) watcher(next.committed);
  }
}

}  // namespace hearth::bootstrap
