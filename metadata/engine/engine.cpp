#include "metadata/engine/engine.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::int64_t k_default_timeout_minutes = 60;

bool is_stack_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && name.size() <= 255 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-'; });
}

}  // namespace

std::string engine_secret(Repository& repository) {
  std::string secret = repository.setting("secret");
  if (secret.empty()) {
    secret = random_hex(32);
    repository.set("secret", secret);
  }
  return secret;
}

Engine::Engine(World world, const PublicUrls& urls)
    : world_(world), credentials_(engine_secret(world.repository), urls) {
  for (const std::string& text : world_.repository.settings_below("retired/")) {
    Json row = parse_json(text, "a retired server").value_or_throw();
    retired_[row.value("key", "")] = row;
    retired_[row.value("object", "")] = row;
  }
  for (StackTree& tree : world_.repository.load()) {
    auto live = std::make_unique<LiveTree>();
    live->tree = std::move(tree);
    for (const Stack& stack : live->tree.stacks()) {
      tree_of_[stack.id] = live->tree.id;
      tree_of_[stack.name] = live->tree.id;
    }
    for (std::size_t i = 0; i < live->tree.resources().size(); ++i) index_resource(*live, i);
    order_.push_back(live->tree.id);
    LiveTree& kept = *(trees_[live->tree.id] = std::move(live));
    if (!kept.tree.running()) continue;
    if (kept.tree.previous_body.is_object()) {
      kept.previous = world_.maker.make(definition(kept.tree, kept.tree.previous_body));
    }
    StackMachine machine(kept.tree, blueprint(kept), *this, kept.previous.get());
    machine.resume();
    finish(kept, machine);
  }
}

std::int64_t Engine::now() const {
  return std::chrono::duration_cast<std::chrono::seconds>(world_.clock.wall().time_since_epoch()).count();
}

StackDefinition Engine::definition(const StackTree& tree, const Json& body) const {
  return {tree.name, tree.id, tree.project, body};
}

Blueprint& Engine::blueprint(LiveTree& live) {
  if (!live.blueprint) {
    live.blueprint = world_.maker.make(definition(live.tree, live.tree.body));
    StackMachine(live.tree, *live.blueprint, *this).relearn();
  }
  return *live.blueprint;
}

std::string Engine::create(const std::string& project, const std::string& name, const Json& body) {
  if (!is_stack_name(name)) {
    throw EngineError(
        "StackValidationFailed",
        cat("Invalid stack name ", name,
            " must contain only alphanumeric or \"_-.\" characters, must start with alpha and must be 255 "
            "characters or less."));
  }
  if (tree_of_.count(name) > 0) throw EngineError("StackExists", cat("The Stack (", name, ") already exists."));
  auto live = std::make_unique<LiveTree>();
  live->tree.id = random_uuid();
  live->tree.name = name;
  live->tree.project = project;
  live->tree.body = body;
  try {
    live->blueprint = world_.maker.make(definition(live->tree, body));
    live->tree.add_stack(live->blueprint->stack(""), k_none, now());
  } catch (const EngineError&) {
    throw;
  } catch (const Error& error) {
    throw EngineError("StackValidationFailed", error.what());
  }
  const std::string id = live->tree.id;
  order_.push_back(id);
  LiveTree& kept = *(trees_[id] = std::move(live));
  run(kept, Action::create);
  return id;
}

void Engine::require_idle(const LiveTree& live) const {
  if (live.tree.running()) {
    throw EngineError("ActionInProgress", cat("Stack ", live.tree.name, " already has an action (",
                                              word(live.tree.root().action), ") in progress."));
  }
}

void Engine::update(const std::string& id, const Json& body) {
  const StackPlace place = find(id);
  LiveTree& live = *place.live;
  require_idle(live);
  std::unique_ptr<Blueprint> next;
  try {
    next = world_.maker.make(definition(live.tree, body));
  } catch (const Error& error) {
    throw EngineError("StackValidationFailed", error.what());
  }
  (void)blueprint(live);  // the old one must know what was learned, for what it is asked when things go
  live.previous = std::move(live.blueprint);
  live.blueprint = std::move(next);
  live.tree.previous_body = std::exchange(live.tree.body, body);
  StackMachine(live.tree, *live.blueprint, *this).relearn();
  run(live, Action::update);
}

void Engine::act(const std::string& id, Action action) {
  LiveTree& live = *find(id).live;
  if (action != Action::erase) require_idle(live);
  run(live, action);
}

void Engine::set_deadline(LiveTree& live) {
  const auto found = live.tree.body.find("timeout_mins");
  const std::int64_t minutes =
      found != live.tree.body.end() && found->is_number() ? found->get<std::int64_t>() : k_default_timeout_minutes;
  live.tree.deadline = now() + minutes * 60;
}

void Engine::run(LiveTree& live, Action action) {
  set_deadline(live);
  StackMachine machine(live.tree, blueprint(live), *this, live.previous.get());
  machine.begin(action);
  finish(live, machine);
}

/// Writes what happened, then shows it.
void Engine::finish(LiveTree& live, StackMachine& machine) {
  Changes changes = machine.take_changes();
  for (const std::size_t server : changes.servers) {
    Resource& resource = live.tree.resource(server);
    resource.data["version"] = resource.data.value("version", std::int64_t{0}) + 1;
    resource.data["modified"] = std::max(now(), resource.data.value("modified", std::int64_t{0}) + 1);
    changes.resources.insert(server);
  }
  world_.repository.save(live.tree, changes);
  index(live, changes);
  after(live);
}

/// What follows by itself when an action has ended.
void Engine::after(LiveTree& live) {
  if (live.tree.running()) return;
  live.previous.reset();
  const Stack& root = live.tree.root();
  if (root.action == Action::erase && root.status == Status::complete) {
    const std::string id = live.tree.id;
    world_.repository.remove(id);
    std::erase_if(tree_of_, [&](const auto& entry) { return entry.second == id; });
    std::erase_if(keys_, [&](const auto& entry) { return entry.second.tree == id; });
    std::erase_if(objects_, [&](const auto& entry) { return entry.second.tree == id; });
    std::erase(order_, id);
    trees_.erase(id);
    return;
  }
  const bool wants = live.tree.body.contains("disable_rollback") && live.tree.body["disable_rollback"] == false;
  if (wants && root.status == Status::failed && (root.action == Action::create || root.action == Action::update)) {
    roll_back(live);
  }
}

void Engine::roll_back(LiveTree& live) {
  if (live.tree.root().action == Action::update && live.tree.previous_body.is_object()) {
    Json body = live.tree.previous_body;
    body["disable_rollback"] = true;  // a rollback that fails stays where it is
    return update(live.tree.id, body);
  }
  run(live, Action::rollback);
}

void Engine::tick() {
  for (const std::string& id : std::vector<std::string>(order_)) {
    const auto found = trees_.find(id);
    if (found == trees_.end() || !found->second->tree.running()) continue;
    LiveTree& live = *found->second;
    StackMachine machine(live.tree, blueprint(live), *this, live.previous.get());
    machine.check_deadlines();
    finish(live, machine);
  }
}

StackPlace Engine::find(const std::string& name_or_id) {
  const auto tree = tree_of_.find(name_or_id);
  const auto live = tree == tree_of_.end() ? trees_.end() : trees_.find(tree->second);
  const std::size_t stack = live == trees_.end() ? k_none : live->second->tree.find_stack(name_or_id);
  if (stack == k_none) throw EngineError("EntityNotFound", cat("The Stack (", name_or_id, ") could not be found."));
  return {live->second.get(), stack};
}

std::vector<LiveTree*> Engine::trees() {
  std::vector<LiveTree*> all;
  for (const std::string& id : order_) all.push_back(trees_.at(id).get());
  return all;
}

void Engine::index(LiveTree& live, const Changes& changes) {
  for (const std::size_t stack : changes.stacks) {
    const Stack& row = live.tree.stack(stack);
    for (const std::string& key : {row.id, row.name}) {
      if (row.gone) {
        tree_of_.erase(key);
      } else {
        tree_of_[key] = live.tree.id;
      }
    }
  }
  for (const std::size_t resource : changes.resources) index_resource(live, resource);
}

void Engine::index_resource(LiveTree& live, std::size_t index) {
  const Resource& resource = live.tree.resource(index);
  if (resource.gone) return;
  const Place place{live.tree.id, resource.path};
  if (resource.role == Role::deployment && resource.deployment.pushed) {
    live.entries[resource.deployment.server].insert(index);
  }
  if (resource.role == Role::deployment && !resource.deployment.key_id.empty()) {
    keys_[resource.deployment.key_id] = place;
    const std::string& stack = live.tree.stack(resource.stack).id;
    objects_[cat(live.tree.project, "/", stack, "/", resource.deployment.key_id)] = place;
  }
  const std::string key = resource.data.value("key", "");
  if (!key.empty()) keys_[key] = place;
  if (resource.role == Role::server && resource.data.contains("object")) {
    objects_[cat(live.tree.project, "/", resource.data.value("container", ""), "/",
                 resource.data.value("object", ""))] = place;
  }
}

SignalInputs Engine::signal_inputs(const StackTree& tree, Resource& resource, const std::string& transport) {
  DeploymentState& state = resource.deployment;
  keys_.erase(state.key_id);  // the former trigger's URL is worth nothing from now on
  objects_.erase(cat(tree.project, "/", tree.stack(resource.stack).id, "/", state.key_id));
  state.key_id = transport == "NO_SIGNAL" ? "" : random_hex(16);
  return credentials_.signal_inputs(transport, tree.project, tree.stack(resource.stack), resource, now());
}

void Engine::prepare_server(const StackTree& tree, Resource& resource, const PlannedServer& plan) {
  if (!resource.data.contains("key")) resource.data["key"] = random_hex(16);
  resource.data["name"] = plan.name;
  resource.data["transport"] = plan.transport;
  resource.data["metadata"] = plan.metadata;
  if (plan.transport == "POLL_TEMP_URL" && !resource.data.contains("object")) {
    resource.data["container"] = plan.container.empty() ? plan.name : plan.container;
    resource.data["object"] = plan.object.empty() ? random_uuid() : plan.object;
  }
  resource.data["os-collect-config"] = credentials_.collect_section(tree.project, tree.stack(resource.stack), resource);
}

/// A server that goes is remembered: when its machine still asks, it is told, and so are we.
void Engine::forget(const StackTree& tree, const Resource& resource) {
  keys_.erase(resource.deployment.key_id);
  const std::string key = resource.data.value("key", "");
  keys_.erase(key);
  if (resource.role != Role::server || key.empty()) return;
  const Stack& stack = tree.stack(resource.stack);
  Json row = Json::object();
  row["key"] = key;
  row["name"] = resource.data.value("name", resource.name);
  row["stack_id"] = stack.id;
  row["stack_name"] = stack.name;
  row["resource"] = resource.name;
  row["type"] = resource.type;
  row["physical_id"] = resource.physical_id;
  row["object"] = resource.data.contains("object") ? cat(tree.project, "/", resource.data.value("container", ""), "/",
                                                         resource.data.value("object", ""))
                                                   : cat("key/", key);
  objects_.erase(row.value("object", ""));
  retired_[key] = row;
  retired_[row.value("object", "")] = row;
  world_.repository.set(cat("retired/", key), row.dump());
}

}  // namespace hearth::metadata::live
