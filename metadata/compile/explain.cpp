#include "metadata/compile/explain.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

const ServerDocument& find_server(const Compiled& compiled, const std::string& wanted) {
  std::vector<std::string> names;
  for (const ServerDocument& server : compiled.servers) {
    if (wanted == server.path || wanted == server.name || wanted == server.id) return server;
    names.insert(names.end(), {server.path, server.name});
  }
  Error error(ErrorKind::not_found, cat("there is no server ", wanted, " in this stack"));
  if (const auto near = nearest(wanted, names)) error.hint(cat("Did you mean ", *near, "?"));
  throw error;
}

/// A member of a map, an item of a list by its name or number.
const Value* step(const Value& value, const std::string& key) {
  if (value.is_map()) return value.find(key);
  if (!value.is_list()) return nullptr;
  for (const Value& item : value.items()) {
    const Value* name = item.find("name");
    if (name != nullptr && python_str(*name) == key) return &item;
  }
  const std::optional<std::uint64_t> number = parse_number(key);
  return number && *number < value.items().size() ? &value.items()[*number] : nullptr;
}

std::vector<std::string> choices(const Value& value) {
  std::vector<std::string> names;
  for (const Entry& entry : value.is_map() ? value.entries() : std::vector<Entry>{})
    names.push_back(python_str(entry.key));
  for (const Value& item : value.is_list() ? value.items() : std::vector<Value>{}) {
    if (const Value* name = item.find("name")) names.push_back(python_str(*name));
  }
  return names;
}

constexpr const char* k_hearth = "made by hearth";
constexpr const char* k_whole_deployment = "the deployment";
constexpr std::size_t k_line = 80;

using Keys = std::vector<std::string>;

/// Deployments and their inputs by their names, where they are given by numbers: where they come from goes by names.
Keys by_names(Value value, Keys words) {
  if (words[0] != "deployments") return words;
  for (std::string& word : words) {
    const Value* next = step(value, word);
    if (next == nullptr) break;
    const Value* name = value.is_list() ? next->find("name") : nullptr;
    if (name != nullptr) word = python_str(*name);
    value = Value(*next);
  }
  return words;
}

/// A deployment by its resource's path ("Compute.0.Run"), where none has that name: as its entry is named; one that is
/// held has none, and keeps the path as one word.
Keys by_resource(StackModel& model, const ServerDocument& document, Keys words) {
  const Value* entries = document.metadata.find("deployments");
  if (words.size() < 2 || words[0] != "deployments" || entries == nullptr || step(*entries, words[1]) != nullptr)
    return words;
  for (std::size_t end = words.size(); end > 1; --end) {
    const auto behind = words.begin() + static_cast<std::ptrdiff_t>(end);
    std::string name = join(Keys(words.begin() + 1, behind), ".");
    const Resource* const deployment = deployment_named(model, document, name);
    if (deployment == nullptr) continue;
    for (const std::string& entry : choices(*entries)) {
      if (deployment_named(model, document, entry) == deployment) name = entry;
    }
    words.erase(words.begin() + 1, behind);
    words.insert(words.begin() + 1, name);
    break;
  }
  return words;
}

/// The rest of a deployment's entry comes from its config.
Origin entry_origin(const Sources& sources, Resource& deployment, const Keys& keys) {
  if (keys.empty()) return {.what = k_whole_deployment, .place = sources.text(deployment.mark)};
  if (keys[0] == "inputs" && keys.size() > 1) return input_origin(sources, deployment, keys[1]);
  if (keys[0] == "id" || keys[0] == "creation_time" || keys[0] == "inputs") return {.what = k_hearth};
  if (keys[0] == "name") return property_origin(sources, deployment, keys);
  Resource* config = config_of(deployment);
  return config == nullptr ? Origin{.what = "a default, as there is no config"}
                           : property_origin(sources, *config, keys);
}

Origin origin_of(StackModel& model, const ServerDocument& document, const Keys& words) {
  if (words[0] == "os-collect-config") return {.what = k_hearth};
  if (words[0] != "deployments") {
    Resource* server = model.root->find_path(document.path);
    return server == nullptr ? Origin{.what = k_hearth} : metadata_origin(model.sources, *server, words);
  }
  Resource* deployment = words.size() > 1 ? deployment_named(model, document, words[1]) : nullptr;
  if (deployment == nullptr) return {.what = k_hearth};
  return entry_origin(model.sources, *deployment, {words.begin() + 2, words.end()});
}

Resource* deployment_at(StackModel& model, const ServerDocument& document, const Keys& words) {
  return words.size() > 1 && words[0] == "deployments" ? deployment_named(model, document, words[1]) : nullptr;
}

const std::vector<Event>* held_behind(const Compiled& compiled, const std::string& deployment) {
  for (const ServerDocument& server : compiled.servers) {
    for (const ServerDocument::Held& held : server.held) {
      if (held.deployment == deployment) return &held.events;
    }
  }
  return nullptr;
}

std::string server_name_in(const Compiled& compiled, const std::string& server) {
  for (const ServerDocument& document : compiled.servers) {
    if (document.path == server) return document.name;
  }
  return server;
}

/// What is known of these, and of what they wait for in turn.
std::vector<Wait> chain_of(StackModel& model, const Compiled& compiled, std::vector<Event> events) {
  std::vector<Wait> chain;
  for (std::size_t i = 0; i < events.size(); ++i) {
    Wait wait{.event = events[i]};
    if (Resource* resource = model.root->find_path(wait.event.resource)) {
      wait.type = resource->type;
      wait.place = model.sources.text(resource->mark);
      const Resource* server = resource->family == Family::deployment ? server_of(*resource) : nullptr;
      if (server != nullptr) wait.server = server_name_in(compiled, server->path);
    }
    if (const std::vector<Event>* behind = held_behind(compiled, wait.event.resource)) wait.behind = *behind;
    for (const Event& next : wait.behind) {
      if (std::find(events.begin(), events.end(), next) == events.end()) events.push_back(next);
    }
    chain.push_back(std::move(wait));
  }
  std::stable_partition(chain.begin(), chain.end(), [](const Wait& wait) { return wait.behind.empty(); });
  return chain;
}

void put_waits(StackModel& model, const Compiled& compiled, std::vector<Event> events, Explanation& made) {
  made.chain = chain_of(model, compiled, events);
  made.waits = std::move(events);
}

Error no_such(const std::string& word, const std::string& around, const Value& value) {
  Error error(ErrorKind::not_found, cat("there is no ", word, " in ", around));
  constexpr std::size_t k_told = 12;
  std::vector<std::string> names = choices(value);
  if (const auto near = nearest(word, names)) return error.hint(cat("Did you mean ", *near, "?"));
  const bool has_more = names.size() > k_told;
  if (has_more) names.resize(k_told);
  if (!names.empty()) error.hint(cat("There is: ", join(names, ", "), has_more ? " and more" : ""));
  return error;
}

}  // namespace

Resource* deployment_named(StackModel& model, const ServerDocument& server, const std::string& name) {
  Resource* found = nullptr;
  for_each_resource(*model.root, [&](Resource& resource) {
    if (found != nullptr || resource.family != Family::deployment) return;
    const Resource* on = server_of(resource);
    if (on == nullptr || on->path != server.path) return;
    const Value* own = resource.owner->properties(resource).find("name");
    const bool same = own != nullptr && own->is_string() && own->text() == name;
    const Resource* config = own == nullptr || !truth(*own) ? config_of(resource) : nullptr;  // it gives its name then
    if (same || (config != nullptr && config->physical_name == name) || resource.path == name ||
        resource.physical_name == name)
      found = &resource;
  });
  return found;
}

Origin input_origin(const Sources& sources, Resource& deployment, const std::string& input) {
  const Value given = member(deployment.owner->properties(deployment), "input_values");
  if (given.is_map() && given.find(input) != nullptr)
    return property_origin(sources, deployment, {"input_values", input});
  Resource* config = config_of(deployment);
  const Value declared = config == nullptr ? Value() : member(config->owner->properties(*config), "inputs");
  if (declared.is_list() && step(declared, input) != nullptr) {
    Origin origin{.what = "the config's default of this input", .place = sources.text(config->mark)};
    origin.from.push_back(property_origin(sources, *config, {"inputs", input, "default"}));
    return origin;
  }
  return {.what = k_hearth};
}

Explanation explain(StackModel& model, const Compiled& compiled, const std::string& server, const std::string& key) {
  const ServerDocument& document = find_server(compiled, server);
  Explanation made{.key = key};
  Value value = document.metadata;
  const Keys words = by_names(value, by_resource(model, document, split(key, '.')));
  Resource* deployment = deployment_at(model, document, words);
  if (deployment != nullptr) made.put_by = cat(deployment->path, ", ", model.sources.text(deployment->mark));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const Value* next = step(value, words[i])) {
      value = *next;
      continue;
    }
    for (const ServerDocument::Held& held : document.held) {
      if (deployment == nullptr || i != 1 || deployment->path != held.deployment) continue;
      put_waits(model, compiled, held.events, made);
      made.origin = origin_of(model, document, words);
      return made;
    }
    throw no_such(words[i], i == 0 ? document.path : words[i - 1], value);
  }
  if (value.has_waiting()) {  // in the server's own metadata
    put_waits(model, compiled, events_in(value), made);
  } else {
    made.value = value;
  }
  made.origin = origin_of(model, document, words);
  made.is_derived = made.origin.what == k_hearth || made.origin.what == k_whole_deployment;
  return made;
}

std::vector<std::string> keys_of(const Compiled& compiled, const std::string& server) {
  return choices(find_server(compiled, server).metadata);
}

std::vector<std::string> explained_lines(const Explanation& explanation) {
  std::vector<std::string> waits;
  for (const Event& event : explanation.waits) waits.push_back(event.text());
  std::vector<std::string> lines{explanation.value
                                     ? cat(explanation.key, " = ", json_text(*explanation.value))
                                     : cat(explanation.key, " is not there yet: it waits for ", join(waits, ", "))};
  const bool is_tree = explanation.value && (explanation.value->is_map() || explanation.value->is_list());
  if (is_tree && lines[0].size() > k_line)
    lines = split_lines(cat(explanation.key, " = ", json_text(*explanation.value, {.indent = 2})));
  for (std::string& line : origin_lines(explanation.origin)) lines.push_back(std::move(line));
  if (!explanation.put_by.empty()) lines.push_back(cat("  put there by ", explanation.put_by));
  return lines;
}

Value explained_document(const Explanation& explanation) {
  MapBuilder made;
  made.set("key", Value::string(explanation.key));
  if (explanation.value) made.set("value", *explanation.value);
  std::vector<Value> waits;
  for (const Event& each : explanation.waits) waits.push_back(Value::string(each.text()));
  made.set("waits_for", Value::list(std::move(waits))).set("origin", origin_document(explanation.origin));
  made.set("put_by", explanation.put_by.empty() ? Value() : Value::string(explanation.put_by));
  return Value::map(std::move(made));
}

}  // namespace hearth::metadata
