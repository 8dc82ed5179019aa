// Stacks that leave as a document and come back from one, in the form of Heat's stack abandon, export and adopt; and
// snapshots of their definitions.
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/engine.hpp"
#include "metadata/engine/given_words.hpp"
#include "metadata/engine/records_json.hpp"

namespace hearth::metadata::live {

namespace {

std::string abandoned_key(const std::string& id) { return cat("abandoned/", id); }

std::string snapshot_key(const std::string& id, const std::string& snapshot) {
  return cat("snapshot/", id, "/", snapshot);
}

Json body_part(const StackTree& tree, const char* key) {
  const auto found = tree.body.find(key);
  return found == tree.body.end() ? Json::object() : *found;
}

}  // namespace

/// A stack with all below it. What only we know of a resource (credentials, what its deployment told) is in "hearth".
static Json exported_stack(Engine& engine, LiveTree& live, std::size_t index) {
  const StackTree& tree = live.tree;
  const StackRecord& stack = tree.stack(index);
  Json out = Json::object();
  out["name"] = stack.name;
  out["id"] = stack.id;
  out["action"] = word(stack.action);
  out["status"] = word(stack.status);
  out["resources"] = Json::object();
  for (const std::size_t member : stack.resources) {
    const ResourceRecord& resource = tree.resource(member);
    Json row = resource.child == k_none ? Json::object() : exported_stack(engine, live, resource.child);
    row["name"] = resource.name;
    row["resource_id"] = resource.physical_id;
    row["type"] = resource.type;
    row["action"] = word(resource.action);
    row["status"] = word(resource.status);
    row["metadata"] = engine.metadata_of(live, member);
    const bool is_made = resource.action != Action::init && !resource.removed;
    row["resource_data"] = is_made ? engine.blueprint(live).resource_data(resource.path) : Json::object();
    if (resource.era != 0) row["hearth"]["era"] = resource.era;
    if (resource.role == Role::server || resource.role == Role::wait_handle)
      row["hearth"]["data"] = to_json(resource.data);
    if (resource.role == Role::deployment) row["hearth"]["deployment"] = to_json(resource.deployment);
    out["resources"][resource.name] = std::move(row);
  }
  return out;
}

Json Engine::exported(LiveTree& live) {
  Json out = exported_stack(*this, live, 0);
  out["hearth"]["era"] = live.tree.era;
  out["template"] = body_part(live.tree, "template");
  out["files"] = body_part(live.tree, "files");
  out["environment"] = body_part(live.tree, "environment");
  if (live.tree.body.contains("environment_files")) out["environment_files"] = live.tree.body["environment_files"];
  // What the environment gives, and the request over it.
  Json& parameters = out["environment"]["parameters"];
  if (!parameters.is_object()) parameters = Json::object();
  parameters.update(body_part(live.tree, "parameters"));
  out["project_id"] = live.tree.project;
  out["stack_user_project_id"] = live.tree.project;
  out["tags"] = live.tree.body.contains("tags") ? live.tree.body["tags"] : Json();
  return out;
}

Json Engine::abandon(const std::string& id) {
  LiveTree& live = *find(id).live;
  if (!live.tree.body.contains(k_given_for_good)) require_ours(live);  // its agents are served here yet
  require_idle(live);
  Json out = exported(live);
  world_.repository.set(abandoned_key(live.tree.id), live.tree.project);
  drop(live);
  return out;
}

static Json map_or_empty(Json value) { return value.is_object() ? std::move(value) : Json::object(); }

/// What of the resources' own data is not taken over. Throws where one would get another value than it had.
static void tell_untaken(const Json& stack, const std::string& above, std::vector<std::string>& untaken) {
  const Json resources = map_or_empty(stack.value("resources", Json()));
  for (const auto& [name, row] : resources.items()) {
    if (!row.is_object()) continue;
    const std::string path = cat(above, name);
    const Json given = row.value("resource_data", Json::object());
    const Json data = map_or_empty(given);
    const bool is_random = row.value("type", Json()) == "OS::Heat::RandomString";
    if (is_random && (data != given || (data.contains("value") && !data["value"].is_string()))) {
      throw EngineError("StackValidationFailed", cat("Invalid adopt data: resource_data of the resource ", path,
                                                     " is no map whose \"value\" is a text"));
    }
    if (!given.is_object() && !given.is_null()) untaken.push_back(path);
    for (const auto& [key, value] : data.items()) {
      if (!is_random || key != "value") untaken.push_back(cat(path, ".", key));
    }
    tell_untaken(row, cat(path, "."), untaken);
  }
}

/// For people, as an event of the stack; empty where all was taken over.
static std::string remark_on(const std::vector<std::string>& untaken) {
  constexpr std::size_t k_most_told = 20;
  if (untaken.empty()) return "";
  return cat("resource_data was not taken over, for only a RandomString's value is: ",
             join_first(untaken, k_most_told));
}

/// A stack that left here keeps its id, in which the signal URLs of its machines are. No other export does: random
/// texts are made of the id, and must not follow from one that somebody chose.
std::string Engine::id_of_new(const std::string& project, const Json& adopted) {
  const Json given = adopted.is_object() ? adopted.value("id", Json()) : Json();
  if (!given.is_string()) return random_uuid();
  std::string id = given;
  const bool is_free = tree_of_.count(id) == 0 && aside_.count(id) == 0;
  const bool is_ours = is_free && (is_copy_ || world_.repository.setting(abandoned_key(id)) == project);
  return is_ours ? id : random_uuid();
}

std::string Engine::adopt(const std::string& project, const std::string& name, const Json& body, const Json& data) {
  std::vector<std::string> untaken;
  tell_untaken(data, "", untaken);
  std::string id = begin_new(project, name, body, Action::adopt, data, remark_on(std::move(untaken)));
  const auto made = trees_.find(id);  // a rollback may have ended with it
  if (made != trees_.end()) made->second->tree.adopted = Json();
  return id;
}

Json Engine::snapshot(LiveTree& live, const std::string& name) {
  require_idle(live);
  Json row = Json::object();
  row["id"] = random_uuid();
  row["name"] = name.empty() ? Json() : Json(name);
  row["status"] = "COMPLETE";
  row["status_reason"] = cat("Stack SNAPSHOT completed successfully");
  row["creation_time"] = iso_time(now());
  row["data"] = exported(live);
  row["body"] = live.tree.body;
  world_.repository.set(snapshot_key(live.tree.id, row["id"]),
                        kept_text(row, cat("a snapshot of the stack ", live.tree.name)));
  return row;
}

std::vector<Json> Engine::snapshots(const std::string& id) const {
  std::vector<Json> all;
  for (const std::string& text : world_.repository.settings_below(cat("snapshot/", id, "/"))) {
    all.push_back(kept_json(text, "a snapshot"));
  }
  return all;
}

static Json required(const std::vector<Json>& snapshots, const std::string& id) {
  for (const Json& row : snapshots) {
    if (row.value("id", "") == id) return row;
  }
  throw EngineError("NotFound", cat("The Snapshot (", id, ") could not be found."));
}

void Engine::remove_snapshot(const std::string& id, const std::string& snapshot) {
  (void)required(snapshots(id), snapshot);
  world_.repository.unset(snapshot_key(id, snapshot));
}

void Engine::restore(const std::string& id, const std::string& snapshot) {
  update(id, required(snapshots(id), snapshot)["body"]);
}

}  // namespace hearth::metadata::live
