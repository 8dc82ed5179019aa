#include "metadata/compile/compiler.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "metadata/compile/hieradata.hpp"
#include "metadata/compile/hosts_file.hpp"
#include "metadata/compile/output_directory.hpp"
#include "metadata/compile/user_data.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

Value texts(const std::vector<std::string>& all) {
  std::vector<Value> items;
  for (const std::string& each : all) items.push_back(Value::string(each));
  return Value::list(std::move(items));
}

Value event_texts(const std::vector<Event>& events) {
  std::vector<std::string> all;
  for (const Event& event : events) all.push_back(event.text());
  return texts(all);
}

void gather_open(Stack& stack, std::vector<ServerDocument::Held>& open) {
  for (Resource* resource : stack.resources()) {
    Stack* nested = stack.nested_of(*resource);
    if (nested != nullptr) {
      gather_open(*nested, open);
      continue;
    }
    const bool holds_a_stack = description_of(resource->family).role == live::Role::nested;
    if (holds_a_stack) open.push_back({resource->path, events_in(stack.raw_properties(*resource)), resource->mark});
  }
  if (!stack.structure_waits().empty()) open.push_back({stack.path(), stack.structure_waits(), {}});
}

/// A server's own metadata wait where a value in them does.
void add_waiting_metadata(std::vector<ServerDocument>& servers, Stack& root) {
  for (ServerDocument& server : servers) {
    if (!server.metadata.has_waiting()) continue;
    const Resource* resource = root.find_path(server.path);
    server.held.push_back(
        {server.path + ".metadata", events_in(server.metadata), resource == nullptr ? Mark() : resource->mark});
  }
}

std::string user_data_name(const ServerDocument& server) { return cat("servers/", server.path, "/user-data"); }

Value index_of(const Compiled& compiled, const std::string& stack) {
  std::vector<Value> servers;
  std::unordered_map<std::string, std::vector<const Compiled::File*>> extras;
  for (const Compiled::File& file : compiled.files) extras[file.server].push_back(&file);
  for (const ServerDocument& server : compiled.servers) {
    std::vector<Value> held;
    for (const ServerDocument::Held& each : server.held) {
      held.push_back(map_of({{"deployment", Value::string(each.deployment)}, {"waits_for", event_texts(each.events)}}));
    }
    MapBuilder entry;
    const Value known = map_of({{"path", Value::string(server.path)},
                                {"name", Value::string(server.name)},
                                {"id", Value::string(server.id)},
                                {"metadata", Value::string(cat("servers/", server.path, "/metadata.json"))},
                                {"waiting", Value::list(std::move(held))}});
    for (const Entry& each : known.entries()) entry.set(each.key, each.value);
    if (!server.former.is_null()) entry.set("former", server.former);
    std::vector<Value> hieradata;
    for (const Compiled::File* file : extras[server.path]) {
      if (file->name == user_data_name(server)) {
        entry.set("user_data", Value::string(file->name));
      } else {
        hieradata.push_back(Value::string(file->name));
      }
    }
    if (!hieradata.empty()) entry.set("hieradata", Value::list(std::move(hieradata)));
    servers.push_back(Value::map(std::move(entry)));
  }
  MapBuilder outputs;
  for (const auto& [name, value] : compiled.outputs) outputs.set(name, value);
  MapBuilder index;
  index.set("stack", Value::string(stack)).set("servers", Value::list(std::move(servers)));
  for (const Compiled::File* file : extras[""]) index.set(file->name, Value::string(file->name));
  index.set("outputs", Value::map(std::move(outputs)));
  return Value::map(std::move(index));
}

void add_extras(Compiled& compiled, StackModel& model, const Endpoints& endpoints, const Extras& extras) {
  if (extras.hosts) compiled.files.push_back({"", "hosts", hosts_text(*model.root)});
  for (ServerDocument& server : compiled.servers) {
    Resource* resource = extras.user_data ? model.root->find_path(server.path) : nullptr;
    const Value data = resource == nullptr ? Value() : server_user_data(*resource, server.metadata, endpoints);
    if (data.is_waiting()) server.held.push_back({server.path + ".user_data", data.events(), resource->mark});
    if (data.is_string()) compiled.files.push_back({server.path, user_data_name(server), data.text()});
    if (!extras.hieradata) continue;
    for (auto& [name, text] : hiera_files(server.metadata))
      compiled.files.push_back({server.path, cat("servers/", server.path, "/puppet/", name), std::move(text)});
  }
}

}  // namespace

Compiled compile(StackModel& model, const Endpoints& endpoints, const Extras& extras) {
  const std::vector<Fault> faults = validate_stack(*model.root);
  if (!faults.empty()) throw faults.front();
  Compiled compiled;
  gather_open(*model.root, compiled.open);
  compiled.servers = server_documents(*model.root, endpoints);
  add_waiting_metadata(compiled.servers, *model.root);
  add_extras(compiled, model, endpoints, extras);
  for (const OutputDefinition& output : model.root->source()->outputs()) {
    compiled.outputs.emplace_back(output.name, model.root->output(output.name));
  }
  return compiled;
}

void learn_inventory(StackModel& model, const Value& inventory) {
  const Value* attributes = inventory.find("attributes");
  if (attributes == nullptr) return;
  if (!attributes->is_map())
    throw validation_fault("\"attributes\" of the inventory maps paths to attributes", attributes->mark());
  for (const Entry& entry : attributes->entries()) {
    if (!entry.value.is_map())
      throw validation_fault(cat("the attributes of ", python_str(entry.key), " are a map"), entry.value.mark());
    model.root->learn(python_str(entry.key), entry.value);
  }
}

void write_compiled(const Compiled& compiled, const std::string& stack, const fs::path& directory) {
  OutputDirectory output(directory);
  for (const ServerDocument& server : compiled.servers) {
    output.write(cat("servers/", server.path, "/metadata.json"), json_text(server.metadata) + "\n");
  }
  for (const Compiled::File& file : compiled.files) output.write(file.name, file.text);
  output.write("index.json", json_text(index_of(compiled, stack), {.indent = 2}) + "\n");
  output.commit();
}

std::vector<std::string> waiting_lines(const Compiled& compiled, const Sources& sources) {
  std::vector<std::string> lines;
  const auto add = [&](const ServerDocument::Held& held) {
    std::vector<std::string> names;
    for (const Event& event : held.events) names.push_back(event.text());
    const std::string where = sources.text(held.mark);
    lines.push_back(cat(where, where.empty() ? "" : ": ", held.deployment.empty() ? "the stack" : held.deployment,
                        " waits for ", join(names, ", ")));
  };
  for (const ServerDocument& server : compiled.servers) {
    for (const ServerDocument::Held& held : server.held) add(held);
  }
  for (const ServerDocument::Held& held : compiled.open) add(held);
  return lines;
}

}  // namespace hearth::metadata
