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

/// What kind of file it is, by what it is used for.
std::string role_of(StackModel& model, const std::string& file) {
  if (model.tree->templates.count(file) > 0) return "template";
  const auto& environment = model.tree->environment;
  for (const Value* section :
       {&environment.parameters, &environment.parameter_defaults, &environment.resource_registry}) {
    if (section->is_map() && !section->entries().empty()) {
      for (const Entry& entry : section->entries()) {
        if (model.sources.name(entry.key.mark().file) == file) return "environment";
      }
    }
  }
  return "file";
}

std::string origin_of(StackModel& model, const Value& value) {
  if (!value.mark().known()) return "made by hearth, or a default of Heat's";
  return cat(model.sources.text(value.mark()), " (", role_of(model, model.sources.name(value.mark().file)), ")");
}

Resource* deployment_named(StackModel& model, const ServerDocument& server, const std::string& name) {
  Resource* found = nullptr;
  for_each_resource(*model.root, [&](Resource& resource) {
    if (found != nullptr || resource.family != Family::deployment) return;
    const Resource* on = server_of(resource);
    if (on == nullptr || on->path != server.path) return;
    const Value* own = resource.owner->properties(resource).find("name");
    const bool same = own != nullptr && own->is_string() && own->text() == name;
    if (same || resource.path == name || resource.physical_name == name) found = &resource;
  });
  return found;
}

}  // namespace

std::vector<std::string> explain(StackModel& model, const Compiled& compiled, const std::string& server,
                                 const std::string& key) {
  const ServerDocument& document = find_server(compiled, server);
  Value value = document.metadata;
  std::vector<std::string> lines;
  const std::vector<std::string> words = split(key, '.');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Value* next = step(value, words[i]);
    if (next == nullptr) {
      for (const ServerDocument::Held& held : document.held) {
        Resource* late = deployment_named(model, document, words[i]);
        if (late == nullptr || late->path != held.deployment) continue;
        std::vector<std::string> events;
        for (const Event& event : held.events) events.push_back(event.text());
        return {cat(words[i], " is not there yet: ", held.deployment, " waits for ", join(events, ", ")),
                cat("  set in ", model.sources.text(held.mark))};
      }
      Error error(ErrorKind::not_found, cat("there is no ", words[i], " in ", i == 0 ? document.path : words[i - 1]));
      if (const auto near = nearest(words[i], choices(value))) error.hint(cat("Did you mean ", *near, "?"));
      throw error;
    }
    value = *next;
  }
  lines.push_back(cat(key, " = ", json_text(value)));
  const Value* inner = value.is_map() ? value.find("value") : nullptr;
  lines.push_back(cat("  from ", origin_of(model, inner != nullptr ? *inner : value)));
  if (words.size() > 1 && words[0] == "deployments") {
    if (const Resource* deployment = deployment_named(model, document, words[1])) {
      lines.push_back(cat("  put there by ", deployment->path, ", ", model.sources.text(deployment->mark)));
    }
  }
  return lines;
}

}  // namespace hearth::metadata
