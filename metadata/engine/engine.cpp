#include "metadata/engine/engine.hpp"

#include <algorithm>
#include <future>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "base/sql/database.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/records_json.hpp"
#include "metadata/engine/step_around.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::int64_t k_default_timeout_minutes = 60;
constexpr std::size_t k_large_step = 500;  ///< rows; with fewer, less time goes by than others can wait
constexpr std::size_t k_events_at_once = 200;

constexpr std::size_t k_most_retired = 10'000;
constexpr std::int64_t k_between_prunes = 60;
constexpr std::size_t k_pruned_in_a_tick = 100;

bool is_stack_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && name.size() <= 255 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-'; });
}

std::string name_key(const std::string& project, const std::string& name) { return cat(project, "/", name); }

}  // namespace

std::string engine_secret(Repository& repository) {
  std::string secret = repository.setting("secret");
  if (secret.empty()) {
    if (repository.has_stacks()) {  // with another one their random texts and all keys of their agents would change
      throw Error(ErrorKind::input, "the row secret of the table setting of the database is gone, and stacks are there")
          .hint("Take the database from a backup, or that row of it: their passwords and keys are made of it.");
    }
    secret = random_hex(32);
    repository.set("secret", secret);
  }
  return secret;
}

Engine::Engine(World world, const PublicUrls& urls)
    : world_(world), credentials_(engine_secret(world.repository), urls), software_(world.repository) {
  load_rows();
  take_up();
}

/// All that is kept, as it is kept: nothing is done with it yet. What was known is known until all is read.
void Engine::load_rows() {
  StoredStacks stored = world_.repository.load();
  const std::vector<std::string> retired = world_.repository.settings_below("retired/");
  software_.load(world_.log);
  forget_all();
  take_retired(retired);
  for (SetAside& stack : stored.unreadable) put_aside(std::move(stack));
  for (StackTree& tree : stored.trees) admit_stored(std::move(tree));
  store_ = Store::readable;
}

void Engine::take_retired(const std::vector<std::string>& rows) {
  for (const std::string& text : rows) {
    Json row = json_or_null(text);
    const bool is_whole = row.is_object() && row.contains("key") && row["key"].is_string() && row.contains("object") &&
                          row["object"].is_string();
    if (!is_whole) {
      world_.log.error("left out: a retired server in the database can't be read");
      continue;
    }
    if (!row.contains("until") || !row["until"].is_number_integer()) row["until"] = now() + k_retired_kept;
    retired_[row["key"].get<std::string>()] = row;
    retired_[row["object"].get<std::string>()] = row;
  }
}

void Engine::admit_stored(StackTree tree) {
  const std::string id = tree.id;
  auto made = std::make_unique<LiveTree>();
  made->tree = std::move(tree);
  made->change = ++last_change_;
  order_.push_back(id);
  trees_[id] = std::move(made);
  attempt(id, [this](LiveTree& live) {
    if (const auto failed = failed_.find(live.tree.id); failed != failed_.end())
      throw Error(ErrorKind::input, failed->second);
    for (const StackRecord& stack : live.tree.stacks()) {
      tree_of_[stack.id] = live.tree.id;
      tree_of_[name_key(live.tree.project, stack.name)] = live.tree.id;
    }
    for (std::size_t i = 0; i < live.tree.resources().size(); ++i) index_resource(live, i);
  });
}

/// What was going on goes on.
void Engine::take_up() {
  for (const std::string& id : std::vector<std::string>(order_)) attempt(id, [this](LiveTree& live) { take_up(live); });
  store_ = Store::good;
  trouble_.clear();
}

void Engine::take_up(LiveTree& kept) {
  const StackRecord& root = kept.tree.root();
  if (root.action == Action::erase && root.status == Status::complete) return drop(kept);  // all that was left to do
  if (!kept.tree.busy()) return;
  bring_previous(kept);
  step(kept, [](StackMachine& machine) { machine.resume(); });
}

std::int64_t Engine::now() const { return unix_seconds(world_.clock.wall()); }
std::int64_t Engine::lasted() const { return unix_seconds(started_ + (world_.clock.now() - started_at_)); }

/// What resources bring along that were exported: what another service knows of them (Blueprint::resource_data()), and
/// when they were made, in which their ids are.
static void bring_adopted(const Json& stack, const std::string& above, StackDefinition& definition) {
  const auto resources = stack.find("resources");
  if (resources == stack.end() || !resources->is_object()) return;
  for (const auto& [name, row] : resources->items()) {
    if (!row.is_object()) continue;
    const std::string path = cat(above, name);
    const auto data = row.find("resource_data");
    if (data != row.end() && data->is_object() && data->contains("value")) definition.kept[path] = *data;
    definition.eras[path] = exported_era(row);
    bring_adopted(row, cat(path, "."), definition);
  }
}

/// `before`: of two at one path the one that goes counts, else the one that came.
StackDefinition Engine::definition(const StackTree& tree, const Json& body, bool before) const {
  StackDefinition definition{tree.name, tree.id, tree.project, body};
  definition.era = tree.era;
  if (tree.adopted.is_object()) bring_adopted(tree.adopted, "", definition);
  for (const ResourceRecord& resource : tree.resources()) {
    if (resource.gone) continue;
    if (!before || definition.eras.count(resource.path) == 0) definition.eras[resource.path] = resource.era;
    if (!resource.data.kept.is_null()) definition.kept[resource.path] = resource.data.kept;
  }
  return definition;
}

Blueprint& Engine::blueprint(LiveTree& live) {
  if (!live.blueprint) {
    live.blueprint = world_.maker.make(definition(live.tree, live.tree.body));
    StepAround around(*this);
    StackMachine(live.tree, *live.blueprint, around).relearn();
  }
  return *live.blueprint;
}

/// What happens after a failure is `on_failure` of the request: "abort" or "continue" (ours, not Heat's).
Json Engine::with_defaults(const Json& body) const {
  Json all = body;
  if (!all.is_object()) return all;
  const auto given = all.find("on_failure");
  if (given == all.end()) {
    if (world_.goes_on_after_failure) all["on_failure"] = "continue";
    return all;
  }
  if (*given != "abort" && *given != "continue") {
    throw EngineError("StackValidationFailed", cat("on_failure is \"abort\" or \"continue\", not ", given->dump()));
  }
  return all;
}

void Engine::require_free(const std::string& project, const std::string& name) const {
  if (tree_of_.count(name_key(project, name)) > 0 || find_set_aside(name, project) != nullptr)
    throw EngineError("StackExists", cat("The Stack (", name, ") already exists."));
}

/// A new stack is nobody's but ours until it is kept.
std::string Engine::begin_new(const std::string& project, const std::string& name, const Json& body, Action action,
                              const Json& adopted, const std::string& remark) {
  if (!is_stack_name(name)) {
    throw EngineError(
        "StackValidationFailed",
        cat("Invalid stack name ", name,
            " must contain only alphanumeric or \"_-.\" characters, must start with alpha and must be 255 "
            "characters or less."));
  }
  require_free(project, name);
  auto live = std::make_unique<LiveTree>();
  live->tree.id = id_of_new(project, adopted);
  live->tree.name = name;
  live->tree.project = project;
  live->tree.body = with_defaults(body);
  live->tree.adopted = adopted;
  live->tree.era = exported_era(adopted);
  StepAround around(*this);
  Changes changes;
  apart_.run([&] {
    try {
      live->blueprint = world_.maker.make(definition(live->tree, body));
      live->tree.add_stack(live->blueprint->stack(""), k_none, now());
    } catch (const EngineError&) {
      throw;
    } catch (const Error& error) {
      throw EngineError("StackValidationFailed", error.what());
    }
    changes = around.all(begun(*live, action, around));
  });
  if (!remark.empty() && !changes.events.empty()) {  // behind the one that says that it began
    EventRecord event = changes.events.front();
    event.id = random_uuid();
    event.reason = remark;
    changes.events.insert(changes.events.begin() + 1, std::move(event));
  }
  require_store();  // others went on meanwhile
  require_free(project, name);
  if (tree_of_.count(live->tree.id) > 0)
    throw EngineError("StackExists", cat("The Stack (", name, ") is there again."));
  save(*live, changes);
  std::string id = live->tree.id;  // what is made may be gone already when it has been run
  order_.push_back(id);
  show(*(trees_[id] = std::move(live)), changes);
  after(id);
  return id;
}

std::string Engine::create(const std::string& project, const std::string& name, const Json& body) {
  return begin_new(project, name, body, Action::create, {});
}

static EngineError is_in_progress(const StackRecord& stack) {
  return {"ActionInProgress",
          cat("Stack ", stack.name, " already has an action (", word(stack.action), ") in progress.")};
}

void Engine::require_idle(const LiveTree& live) const {
  if (live.tree.running()) throw is_in_progress(live.tree.root());
}

void Engine::update(const std::string& id, const Json& body) {
  LiveTree& live = *find(id).live;
  require_ours(live);
  require_idle(live);
  change_to(live, body, Action::update);
  // In a burst of updates nothing waits for the next tick to be taken out.
  if (const auto still = trees_.find(id); still != trees_.end() && !still->second->tree.busy()) compact(*still->second);
}

void Engine::change_to(LiveTree& kept, const Json& body, Action action) {
  step(kept, [&](LiveTree& live, StepAround& around) {
    std::unique_ptr<Blueprint> next;
    StackDefinition wanted = definition(live.tree, body);
    ++wanted.era;
    try {
      next = world_.maker.make(wanted);
    } catch (const Error& error) {
      throw EngineError("StackValidationFailed", error.what());
    }
    if (action == Action::update) require_same(live, *next);
    (void)blueprint(live);  // the old one must know what was learned, for what it is asked when things go
    live.previous = std::move(live.blueprint);
    live.blueprint = std::move(next);
    live.tree.previous_body = std::exchange(live.tree.body, with_defaults(body));
    StackMachine(live.tree, *live.blueprint, around, live.previous.get()).relearn(true);
    live.tree.era = wanted.era;
    live.tree.restoring = action == Action::rollback;
    return begun(live, action, around);
  });
}

/// Parameters that a template declares immutable keep the values that they were created with.
void Engine::require_same(LiveTree& live, Blueprint& next) {
  const Json before = blueprint(live).parameters("");
  const Json after = next.parameters("");
  for (const std::string& name : next.immutable_parameters()) {
    if (!before.contains(name) || !after.contains(name) || before[name] == after[name]) continue;
    throw EngineError("ImmutableParameterModified",
                      cat("The following parameters are immutable and may not be updated: ", name));
  }
}

void Engine::cancel(const std::string& id, bool back) {
  LiveTree& live = *find(id).live;
  const Action action = live.tree.root().action;
  const bool can = live.tree.running() && (action == Action::update || (action == Action::create && !back));
  if (!can) {
    throw EngineError("NotSupported", cat("Cancelling ", back ? "update" : "create or update", " when stack is ",
                                          status_text(action, live.tree.root().status), " is not supported."));
  }
  change(live, [this](LiveTree& mine, StepAround& around) {
    StackMachine machine(mine.tree, blueprint(mine), around, mine.previous.get());
    machine.cancel();
    return machine.take_changes();
  });
  live.previous.reset();
  if (back) roll_back(live);
}

void Engine::mark(LiveTree& live, std::size_t resource, bool unhealthy, const std::string& reason) {
  require_ours(live);
  require_idle(live);
  const ResourceRecord& marked = live.tree.resource(resource);
  const StackRecord& home = live.tree.stack(marked.stack);  // it may run on beside a failure
  if (home.status == Status::in_progress || marked.status == Status::in_progress) throw is_in_progress(home);
  step(live, [&](StackMachine& machine) { machine.mark(resource, unhealthy, reason); });
}

void Engine::act(const std::string& id, Action action) {
  LiveTree& live = *find(id).live;
  require_ours(live);
  if (action != Action::erase) require_idle(live);
  run(live, action);
}

void Engine::set_deadline(LiveTree& live) {
  const auto found = live.tree.body.find("timeout_mins");
  const std::int64_t minutes =
      found != live.tree.body.end() && found->is_number() ? found->get<std::int64_t>() : k_default_timeout_minutes;
  live.tree.deadline = lasted() + minutes * 60;
}

Changes Engine::begun(LiveTree& live, Action action, StepAround& around) {
  set_deadline(live);
  StackMachine machine(live.tree, blueprint(live), around, live.previous.get());
  machine.begin(action);
  return machine.take_changes();
}

void Engine::run(LiveTree& kept, Action action) {
  step(kept, [&](LiveTree& live, StepAround& around) { return begun(live, action, around); });
}

/// Writes what happened. A large step is written by a thread of its own, and others are served meanwhile, as while the
/// store lets us wait: whatever they may read then (is_steady()) asks neither the store nor this tree.
void Engine::save(LiveTree& live, Changes& changes) {
  for (const std::size_t server : changes.servers) {
    ResourceRecord& resource = live.tree.own_resource(server);
    ++resource.data.version;
    resource.data.modified = std::max(now(), resource.data.modified + 1);
    changes.resources.insert(server);
  }
  try {
    beside_others(changes.resources.size() + changes.events.size(),
                  [&] { world_.repository.save(live.tree, changes); });
  } catch (const sql::StoreError& error) {
    store_failed(error);
    throw;
  }
}

/// What takes long for many rows is done by a thread of its own, while others are served.
void Engine::beside_others(std::size_t rows, const std::function<void()>& work) {
  const bool is_large = breathe_ && !is_copy_ && rows > k_large_step;
  if (!is_large) return work();
  is_beside_ = true;
  std::future<void> done = std::async(std::launch::async, work);
  while (done.wait_for(std::chrono::milliseconds(2)) != std::future_status::ready) breathe_();
  is_beside_ = false;
  done.get();
}

/// What is kept is known from now on.
void Engine::show(LiveTree& live, const Changes& changes) {
  const Showing showing(*this, live);
  live.change = ++last_change_;
  for (const std::function<void()>& follows : changes.when_kept) {
    follows();
    breathe();
  }
  index(live, changes);
  for (const EventRecord& event : changes.events) {
    for (const auto& watcher : watchers_) watcher(event);
    breathe();
  }
}

/// What follows by itself when an action has ended.
void Engine::after(const std::string& id) {
  const auto found = trees_.find(id);
  if (found == trees_.end()) return;
  LiveTree& live = *found->second;
  if (live.tree.running()) return;
  live.previous.reset();
  const StackRecord& root = live.tree.root();
  if (root.action == Action::erase && root.status == Status::complete) {
    drop(live);
    return;
  }
  const bool wants = live.tree.body.contains("disable_rollback") && live.tree.body["disable_rollback"] == false;
  if (wants && root.status == Status::failed && (root.action == Action::create || root.action == Action::update)) {
    roll_back(live);
  }
}

/// Forgets a stack, without doing anything to what it is made of.
void Engine::drop(LiveTree& live) {
  const std::string id = live.tree.id;
  try {
    beside_others(live.tree.resources().size(), [&] { world_.repository.remove(id); });
  } catch (const sql::StoreError& error) {
    store_failed(error);
    throw;
  }
  forget(id);
}

void Engine::forget(const std::string& id) {
  std::erase_if(tree_of_, [&](const auto& entry) { return entry.second == id; });
  for (auto* places : {&keys_, &objects_, &servers_, &addresses_}) {
    std::erase_if(*places, [&](const auto& entry) { return entry.second.tree == id; });
    breathe();
  }
  std::erase(order_, id);
  auto gone = trees_.extract(id);
  if (gone.empty()) return;
  beside_others(gone.mapped()->tree.resources().size(), [&] { gone = {}; });
}

/// A rollback that fails stays where it is.
void Engine::roll_back(LiveTree& live) {
  if (live.tree.root().action == Action::update && live.tree.previous_body.is_object()) {
    return change_to(live, Json(live.tree.previous_body), Action::rollback);
  }
  run(live, Action::rollback);
}

void Engine::store_failed(const sql::StoreError& error) {
  trouble_ = error.answer();
  doubtful_ = true;
  if (error.is_superseded()) forget_all();
}

void Engine::forget_all() {
  store_ = Store::lost;
  served_.clear();
  retired_.clear();
  trees_.clear();
  order_.clear();
  tree_of_.clear();
  for (auto* places : {&keys_, &objects_, &servers_, &addresses_}) places->clear();
  aside_.clear();
  held_credentials_.clear();
}

/// Whether it takes what is to be kept. After a failure all is read again: what was not kept did not happen, and
/// another process may have driven it meanwhile, though nobody here wrote.
bool Engine::look_at_store() {
  bool again = false;
  do {
    try {
      world_.repository.check();
      if (!can_write()) {
        load_rows();
        doubtful_ = false;
        world_.repository.set("taken_up", std::to_string(now()));  // throws while nothing can be kept
        take_up();
      }
      store_told_.clear();
      return true;
    } catch (const sql::StoreError& error) {
      store_failed(error);
      if (std::exchange(store_told_, error.story()) != store_told_)
        world_.log.error(cat("the stacks' store: ", error.story()));
      again = error.is_superseded() && !again;  // who is asked again may know all by now
    }
  } while (again);
  return false;
}

void Engine::tick() {
  if (!look_at_store()) return;
  tell_runs();
  if (now() >= prune_at_) prune_retired();
  for (const std::string& id : std::vector<std::string>(order_)) {
    const auto found = trees_.find(id);
    if (found == trees_.end() || is_apart(id)) continue;
    if (!found->second->tree.busy()) {
      compact(*found->second);
      continue;
    }
    attempt(id, [this](LiveTree& live) { step(live, [](StackMachine& machine) { machine.check_deadlines(); }); });
  }
}

/// Of servers that went long ago, or before very many others, nothing is known any more.
void Engine::prune_retired() {
  prune_at_ = now() + k_between_prunes;
  std::multimap<std::int64_t, std::string> keys;
  for (const auto& [credential, row] : retired_) {
    if (row.value("key", "") == credential) keys.emplace(row.value("until", std::int64_t{0}), credential);
  }
  std::size_t left = keys.size();
  for (const auto& [until, key] : keys) {
    if (until > now() && left <= k_most_retired) break;
    world_.repository.unset(cat("retired/", key));
    retired_.erase(retired_.at(key).value("object", ""));
    retired_.erase(key);
    check(left > 0, "what goes was counted");
    --left;
    if (keys.size() - left == k_pruned_in_a_tick) return void(prune_at_ = now());
  }
}

/// What updates left behind goes; between requests, so that nobody holds a number of a resource.
void Engine::compact(LiveTree& live) {
  const std::vector<std::size_t> now = live.tree.compact();
  if (now.empty()) return;
  for (auto& [server, deployments] : live.entries) {
    std::set<std::size_t> kept;
    for (const std::size_t each : deployments) {
      if (now[each] != k_none) kept.insert(now[each]);
    }
    deployments = std::move(kept);
  }
  std::erase_if(live.entries, [](const auto& entry) { return entry.second.empty(); });
}

/// By pages, and others are served in between.
std::vector<EventRecord> Engine::events(EventQuery query) {
  const std::size_t wanted = query.limit;
  std::vector<EventRecord> found;
  for (;;) {
    query.limit = wanted == 0 ? k_events_at_once : std::min(k_events_at_once, wanted - found.size());
    std::vector<EventRecord> page = world_.repository.events(query);
    check(page.size() <= query.limit, "a page has at most what was asked for", "events", page.size(), "limit",
          query.limit);
    const bool is_last = page.size() != query.limit;
    std::move(page.begin(), page.end(), std::back_inserter(found));
    if (is_last || found.size() == wanted) return found;
    query.after = found.back().number;
    breathe();
  }
}

void Engine::set_breath(const std::function<void()>& breathe) {
  breathe_ = breathe;
  world_.maker.breathe = breathe;
}

std::string Engine::root_of(const std::string& stack_id) const {
  const auto tree = tree_of_.find(stack_id);
  return tree == tree_of_.end() ? "" : tree->second;
}

std::string Engine::root_of_server(const std::string& server_id) const {
  const auto server = servers_.find(server_id);
  return server == servers_.end() ? "" : server->second.tree;
}

std::uint64_t Engine::change_of(const std::string& stack_id) const {
  const auto live = trees_.find(root_of(stack_id));
  return live == trees_.end() ? 0 : live->second->change;
}

void Engine::be_copy(const std::function<void()>& breathe) {
  is_copy_ = true;
  watchers_.clear();
  set_breath(breathe);
}

StackPlace Engine::find(const std::string& name_or_id, const std::string& project) {
  auto tree = tree_of_.find(name_or_id);
  if (tree == tree_of_.end()) tree = tree_of_.find(name_key(project, name_or_id));
  const auto live = tree == tree_of_.end() ? trees_.end() : trees_.find(tree->second);
  const std::size_t stack = live == trees_.end() ? k_none : live->second->tree.find_stack(name_or_id);
  if (stack == k_none) {
    if (const SetAside* aside = find_set_aside(name_or_id, project)) throw StackSetAside(*aside);
    throw EngineError("EntityNotFound", cat("The Stack (", name_or_id, ") could not be found."));
  }
  return {live->second.get(), stack};
}

std::vector<LiveTree*> Engine::trees() {
  std::vector<LiveTree*> all;
  for (const std::string& id : order_) all.push_back(trees_.at(id).get());
  return all;
}

void Engine::index(LiveTree& live, const Changes& changes) {
  for (const std::size_t stack : changes.stacks) {
    const StackRecord& row = live.tree.stack(stack);
    for (const std::string& key : {row.id, name_key(live.tree.project, row.name)}) {
      if (row.gone) {
        tree_of_.erase(key);
      } else {
        tree_of_[key] = live.tree.id;
      }
    }
  }
  for (const std::size_t resource : changes.resources) {
    index_resource(live, resource);
    breathe();
  }
}

void Engine::index_resource(LiveTree& live, std::size_t index) {
  const StackTree& tree = live.tree;
  const ResourceRecord& resource = tree.resource(index);
  if (resource.gone) return;
  const Place place{live.tree.id, resource.path};
  if (resource.role == Role::deployment && resource.deployment.pushed) {
    live.entries[resource.deployment.server].insert(index);
  }
  if (resource.role == Role::deployment && !resource.deployment.key_id.empty()) {
    keys_[resource.deployment.key_id] = place;
    const std::string& stack = tree.stack(resource.stack).id;
    objects_[cat(live.tree.project, "/", stack, "/", resource.deployment.key_id)] = place;
  }
  const ResourceData& data = resource.data;
  const std::string& key = data.key;
  if (!key.empty()) keys_[key] = place;
  if (!data.former.key.empty()) {
    keys_[data.former.key] = place;
    objects_[cat(live.tree.project, "/", data.container, "/", data.former.object)] = place;
  }
  if (resource.role == Role::wait_handle && !key.empty()) {
    objects_[cat(tree.project, "/", tree.stack(resource.stack).id, "/", key)] = place;
  }
  if (resource.role == Role::server && !resource.physical_id.empty()) {
    servers_[resource.physical_id] = place;
    if (const std::string address = data.address(); !address.empty()) addresses_[address] = place;
  }
  if (resource.role == Role::server && !data.object.empty())
    objects_[cat(live.tree.project, "/", data.container, "/", data.object)] = place;
}

}  // namespace hearth::metadata::live
