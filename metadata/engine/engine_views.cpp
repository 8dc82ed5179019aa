// What agents see of the engine: metadata documents, objects, and where their signals go.
#include <algorithm>

#include "base/foreign_json.hpp"
#include "base/hash.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/engine.hpp"
#include "metadata/engine/given_words.hpp"
#include "metadata/engine/records_json.hpp"
#include "metadata/engine/step_around.hpp"
#include "metadata/serve/peer_notes.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::int64_t k_still_polling = 90;  ///< seconds: three polls of an agent
constexpr std::int64_t k_note_every = 10;
constexpr std::int64_t k_tell_every = 60;  ///< seconds: a hook's words may be others each time

std::string shown_text(const Json& json) { return format_json(json, {.lossy = true}); }

std::string object_key(const ObjectPath& path) {
  const std::string project = path.account.compare(0, 5, "AUTH_") == 0 ? path.account.substr(5) : "";
  return cat(project, "/", path.container, "/", path.object);
}

Document document_of(std::string text, std::int64_t modified, const std::string& type = "application/json") {
  std::string tag = hex_digest(HashKind::md5, text);
  return {std::make_shared<const std::string>(std::move(text)), std::move(tag), modified, type};
}

/// Of a resource that has not begun: those of its stack that it needs, and that are not done.
std::string others_before(const StackTree& tree, const ResourceRecord& row) {
  std::vector<std::string> names;
  for (const std::string& need : row.needs) {
    const std::size_t other = tree.find_resource(row.stack, need);
    if (other == k_none || tree.resource(other).removed) continue;
    const ResourceRecord& before = tree.resource(other);
    if (before.action == Action::init || before.status != Status::complete) names.push_back(need);
  }
  return names.empty() ? "" : cat("not begun: it needs ", join(names, ", "), ", not done yet");
}

}  // namespace

std::pair<LiveTree*, const ResourceRecord*> Engine::at(const Place& place) const {
  const auto live = trees_.find(place.tree);
  if (live == trees_.end()) return {nullptr, nullptr};
  const std::size_t resource = live->second->tree.find_path(place.path);
  if (resource == k_none) return {nullptr, nullptr};
  return {live->second.get(), &live->second->tree.resource(resource)};
}

void Engine::note_poll(const ResourceRecord& server) const {
  std::int64_t& last = polls_[server.physical_id];
  if (now() - last >= k_note_every) last = now();
}

std::int64_t Engine::last_poll(const std::string& server_id) const {
  const auto found = polls_.find(server_id);
  return found == polls_.end() ? 0 : found->second;
}

bool Engine::is_polling(const ResourceRecord& server) const { return is_polling(last_poll(server.physical_id)); }

bool Engine::is_polling(std::int64_t last_poll) const { return now() - last_poll < k_still_polling; }

/// {"deployments": [sorted by name], "os-collect-config": {…}, what the template adds}. Entries are put in as the texts
/// that they were made as.
std::string Engine::compose(LiveTree& live, const ResourceRecord& server) const {
  std::vector<std::pair<std::string, const std::string*>> entries;
  const std::vector<std::pair<std::string, std::string>> by_hand = software_.entries(server.physical_id);
  for (const auto& [name, text] : by_hand) entries.emplace_back(name, &text);
  const GivenServer& given = server.data.given;
  const bool is_to_mark = given.state == k_to_mark;
  const std::string mark = is_to_mark ? shown_text(mark_entry(live.tree, server)) : "";
  if (is_to_mark) entries.emplace_back(k_mark_name, &mark);
  const auto known = live.entries.find(server.path);
  if (known != live.entries.end()) {
    for (const std::size_t index : known->second) {
      const ResourceRecord& resource = live.tree.resource(index);
      const bool shown = !resource.gone && resource.deployment.pushed && resource.deployment.server == server.path;
      if (shown) entries.emplace_back(resource.deployment.name, &resource.deployment.derived);
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = "{\"deployments\": [";
  for (const auto& [name, entry] : entries) text += cat(text.back() == '[' ? "" : ", ", *entry);
  text += "]";
  Json rest = server.data.metadata;
  if (!rest.is_object()) rest = Json::object();
  rest.erase("deployments");
  const bool is_told = given.is_given() && !is_to_mark;
  rest["os-collect-config"] = is_told ? given.os_collect_config : server.data.os_collect_config;
  for (const auto& [key, value] : rest.items()) text += cat(", ", shown_text(Json(key)), ": ", shown_text(value));
  return text + "}";
}

Document Engine::document(LiveTree& live, const ResourceRecord& server) const {
  if (server.role != Role::server) return document_of("{}", server.updated);
  Served& slot = served_[server.physical_id];
  const std::int64_t version = server.data.version;
  if (slot.version != version || !slot.document.text) {
    slot.document = document_of(compose(live, server), server.data.modified);
    slot.version = version;
  }
  return slot.document;
}

Document Engine::tombstone() const {
  return document_of(R"({"deployments": [], "hearth": {"state": "decommissioned"}})", 1);
}

Json Engine::metadata_of(LiveTree& live, std::size_t resource) {
  const ResourceRecord& row = live.tree.resource(resource);
  if (row.role != Role::server || row.action == Action::init) return Json::object();
  return kept_json(*document(live, row).text, "metadata");
}

std::optional<AccessKey> Engine::access_key(const std::string& id) const {
  if (id.empty()) return std::nullopt;
  const auto found = keys_.find(id);
  if (found != keys_.end()) {
    const auto [live, resource] = at(found->second);
    if (resource == nullptr || !holds(*resource, id)) return std::nullopt;
    return AccessKey{credentials_.secret_of(id), live->tree.stack(resource->stack).id, resource->name};
  }
  require_served(id);
  const auto gone = retired_.find(id);
  if (gone == retired_.end()) return std::nullopt;
  return AccessKey{credentials_.secret_of(id), gone->second.value("stack_id", ""), gone->second.value("resource", "")};
}

bool Engine::is_steady(const Place& place) const {
  return shown_.count(place.tree) == 0 && trees_.count(place.tree) > 0;
}

bool Engine::is_steady(const std::string& key_id) const {
  const auto found = keys_.find(key_id);
  return found != keys_.end() && is_steady(found->second);
}

bool Engine::is_steady(const ObjectPath& path) const {
  const auto place = objects_.find(object_key(path));
  return place != objects_.end() && is_steady(place->second) && takes_runs(path);
}

bool Engine::takes_runs(const ObjectPath& path) const {
  const auto place = objects_.find(object_key(path));
  const ResourceRecord* resource = place == objects_.end() ? nullptr : at(place->second).second;
  return resource != nullptr && resource->role == Role::server && holds(*resource, path.object);
}

std::optional<std::string> Engine::project_of(const std::string& server_id) const {
  const auto found = servers_.find(server_id);
  if (found == servers_.end()) return std::nullopt;
  const auto tree = trees_.find(found->second.tree);
  return tree == trees_.end() ? std::nullopt : std::optional(tree->second->tree.project);
}

std::optional<std::string> Engine::stack_id(const std::string& name_or_id, const AccessKey& key) const {
  auto tree = tree_of_.find(name_or_id);
  const auto own = tree_of_.find(key.stack_id);
  if (tree == tree_of_.end() && own != tree_of_.end())
    tree = tree_of_.find(cat(trees_.at(own->second)->tree.project, "/", name_or_id));
  if (tree != tree_of_.end()) {
    const StackTree& found = trees_.at(tree->second)->tree;
    const std::size_t stack = found.find_stack(name_or_id);
    if (stack != k_none) return found.stack(stack).id;
  }
  for (const auto& [credential, row] : retired_) {
    if (row.value("stack_name", "") == name_or_id || row.value("stack_id", "") == name_or_id)
      return row.value("stack_id", "");
  }
  return std::nullopt;
}

std::optional<ResourceDetail> Engine::resource(const std::string& stack_id, const std::string& name) const {
  const auto tree = tree_of_.find(stack_id);
  if (tree != tree_of_.end()) {
    LiveTree& live = *trees_.at(tree->second);
    const std::size_t stack = live.tree.find_stack(stack_id);
    const std::size_t index = stack == k_none ? k_none : live.tree.find_resource(stack, name);
    if (index == k_none) return std::nullopt;
    const ResourceRecord& row = live.tree.resource(index);
    note_poll(row);
    return ResourceDetail{row.description,
                          iso_time(row.updated),
                          row.name,
                          document(live, row),
                          row.physical_id,
                          status_text(row.action, row.status),
                          row.reason,
                          row.type,
                          live.tree.project,
                          live.tree.stack(stack).name,
                          live.tree.stack(stack).id};
  }
  for (const auto& [key, row] : retired_) {
    if (row.value("stack_id", "") != stack_id || row.value("resource", "") != name) continue;
    world_.log.warning(cat("server ", row.value("name", ""), " was decommissioned, but its machine still polls"));
    return ResourceDetail{"",
                          iso_time(now()),
                          name,
                          tombstone(),
                          row.value("physical_id", ""),
                          "DELETE_COMPLETE",
                          "decommissioned",
                          row.value("type", ""),
                          "",
                          row.value("stack_name", ""),
                          stack_id};
  }
  return std::nullopt;
}

/// In memory only: the next poll, and the next run, tell it anew.
void Engine::note_run(const std::string& stack_id, const std::string& resource, const RunReport& report) {
  const auto tree = tree_of_.find(stack_id);
  if (tree == tree_of_.end()) return;
  LiveTree& live = *trees_.at(tree->second);
  const std::size_t stack = live.tree.find_stack(stack_id);
  const std::size_t index = stack == k_none ? k_none : live.tree.find_resource(stack, resource);
  if (index == k_none || live.tree.resource(index).role != Role::server) return;
  const std::string& server = live.tree.resource(index).physical_id;
  const std::int64_t at = now();
  RunReport& kept = runs_[server];
  kept = report;
  kept.at = at;
  if (report.state == RunReport::State::ok) told_runs_[server].failure.clear();
  if (report.state != RunReport::State::failed) return;
  ToldRun& last = told_runs_[server];
  const std::string failure = cat(report.step, ": ", report.why);
  if (last.failure == failure || (last.at != 0 && at - last.at < k_tell_every)) return;
  last = {failure, at, false, failure_of(resource, report)};
  world_.log.warning(
      cat("server ", resource, " of stack ", live.tree.stack(stack).name, ": ", report_text(report, at)));
}

/// Of each deployment that waits for the server. A report may come in the midst of a step, when nothing can be written.
void Engine::tell_runs() {
  std::vector<std::pair<Place, std::string>> due;  // others report while one is being written
  for (auto& [id, last] : told_runs_) {
    if (std::exchange(last.is_event, true)) continue;
    const auto place = servers_.find(id);
    if (place != servers_.end()) due.emplace_back(place->second, last.reason);
  }
  for (const auto& report : due) {
    const Place& place = report.first;
    attempt(place.tree, [&](LiveTree& live) { tell_run(live, place.path, report.second); });
  }
}

void Engine::tell_run(LiveTree& live, const std::string& server, const std::string& reason) {
  change(live, [&](LiveTree& mine, StepAround&) {
    Changes changes;
    const StackTree& tree = mine.tree;
    const auto known = live.entries.find(server);
    if (known == live.entries.end()) return changes;
    for (const std::size_t index : known->second) {
      const ResourceRecord& row = tree.resource(index);
      if (waits_for(live, index).empty()) continue;
      EventRecord event;
      event.id = random_uuid();
      event.root_id = tree.id;
      event.stack_id = tree.stack(row.stack).id;
      event.resource = row.name;
      event.physical_id = row.physical_id;
      event.type = row.type;
      event.status = status_text(row.action, row.status);
      event.reason = reason;
      event.time = now();
      changes.events.push_back(std::move(event));
    }
    return changes;
  });
}

void Engine::note_object_run(const ObjectPath& path, const RunReport& report) {
  const auto place = objects_.find(object_key(path));
  const auto [live, resource] =
      place == objects_.end() ? std::pair<LiveTree*, const ResourceRecord*>{} : at(place->second);
  if (resource != nullptr) note_run(live->tree.stack(resource->stack).id, resource->name, report);
}

std::optional<RunReport> Engine::last_run(const std::string& server_id) const {
  const auto found = runs_.find(server_id);
  return found == runs_.end() ? std::nullopt : std::optional(found->second);
}

std::string Engine::server_of(const std::string& stack_id, const std::string& deployment) const {
  const auto tree = tree_of_.find(stack_id);
  if (tree == tree_of_.end()) return "";
  const StackTree& rows = trees_.at(tree->second)->tree;
  const std::size_t stack = rows.find_stack(stack_id);
  const std::size_t index = stack == k_none ? k_none : rows.find_resource(stack, deployment);
  if (index == k_none || rows.resource(index).role != Role::deployment) return "";
  const std::size_t server = rows.find_path(rows.resource(index).deployment.server);
  return server == k_none ? "" : rows.resource(server).physical_id;
}

std::string Engine::waits_for(const LiveTree& live, std::size_t resource) const {
  const ResourceRecord& row = live.tree.resource(resource);
  if (row.action == Action::init && !row.gone) return others_before(live.tree, row);
  if (row.role == Role::server && row.status == Status::in_progress && row.action != Action::erase &&
      row.data.is_machine && row.data.machine.is_null())
    return "no machine is given to it yet: hearth deploy chooses a node and deploys it";
  if (row.role != Role::deployment || row.status != Status::in_progress || !row.deployment.pushed) return "";
  const std::size_t index = live.tree.find_path(row.deployment.server);
  if (index == k_none) return "";
  const ResourceRecord& server = live.tree.resource(index);
  const std::int64_t polled = last_poll(server.physical_id);
  std::string known = last_known(server.name, polled, last_run(server.physical_id), now());
  if (peers_ == nullptr || is_polling(server)) return known;
  const std::string seen = peers_->told(server.data.address(), polled + 1,
                                        [this](const std::string& peer) { return addresses_.count(peer) > 0; });
  return seen.empty() ? known : cat(known, "; seen: ", seen);
}

SignalOutcome Engine::signal(const std::string& stack_id, const std::string& resource, const Json& body) {
  const auto tree = tree_of_.find(stack_id);
  if (tree == tree_of_.end()) return {SignalOutcome::Kind::no_stack, ""};
  LiveTree& live = *trees_.at(tree->second);
  const std::size_t stack = live.tree.find_stack(stack_id);
  const std::size_t index = stack == k_none ? k_none : live.tree.find_resource(stack, resource);
  if (index == k_none) return {SignalOutcome::Kind::no_resource, ""};
  if (live.tree.resource(index).data.given.is_given()) return signal_of_given(live, index, body);
  SignalOutcome outcome;
  step(live, [&](StackMachine& machine) { outcome = machine.signal(index, body); });
  return outcome;
}

std::vector<std::string> Engine::temp_url_keys(const std::string& account, const std::string&) const {
  return account.compare(0, 5, "AUTH_") == 0 ? std::vector{credentials_.temp_url_key()} : std::vector<std::string>{};
}

std::optional<Document> Engine::object(const ObjectPath& path) const {
  const std::string key = object_key(path);
  const auto place = objects_.find(key);
  if (place != objects_.end()) {
    const auto [live, resource] = at(place->second);
    if (resource != nullptr && !holds(*resource, path.object)) return std::nullopt;
    if (resource != nullptr && resource->role == Role::server) {
      note_poll(*resource);
      return document(*live, *resource);
    }
  }
  if (place == objects_.end()) require_served(path.object);
  const auto gone = retired_.find(key);
  if (gone != retired_.end()) {
    world_.log.warning(
        cat("server ", gone->second.value("name", ""), " was decommissioned, but its machine still polls"));
    return tombstone();
  }
  const std::optional<StoredObject> stored = world_.repository.object(key);
  if (!stored) return std::nullopt;
  return document_of(stored->body, stored->modified, stored->content_type);
}

std::optional<Document> Engine::put_object(const ObjectPath& path, const std::string& body,
                                           const std::string& content_type) {
  const std::string key = object_key(path);
  const auto place = objects_.find(key);
  if (place != objects_.end()) {
    const auto [live, resource] = at(place->second);
    if (resource == nullptr || resource->role == Role::server) return std::nullopt;
    const Result<Json> signal_body = body.empty() ? Result<Json>(Json::object()) : parse_foreign_json(body, "signal");
    if (!signal_body || !signal_body->is_object()) return std::nullopt;
    const std::string stack = live->tree.stack(resource->stack).id;
    if (!body.empty()) (void)signal(stack, resource->name, *signal_body);  // empty: not yet
    return document_of(body, now(), content_type);
  }
  require_served(path.object);
  if (retired_.count(key) > 0) return std::nullopt;
  const std::optional<StoredObject> before = world_.repository.object(key);
  const std::int64_t modified = std::max(now(), before ? before->modified + 1 : 0);
  world_.repository.put_object(key, {body, content_type, modified});
  return document_of(body, modified, content_type);
}

bool Engine::remove_object(const ObjectPath& path) {
  const std::string key = object_key(path);
  require_served(path.object);
  return objects_.count(key) == 0 && world_.repository.remove_object(key);
}

}  // namespace hearth::metadata::live
