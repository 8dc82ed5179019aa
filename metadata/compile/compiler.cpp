#include "metadata/compile/compiler.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/compile/output_directory.hpp"
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
    const bool holds_a_stack = resource->family == Family::nested || resource->family == Family::group ||
                               resource->family == Family::chain || resource->family == Family::deployment_group;
    if (holds_a_stack) open.push_back({resource->path, events_in(stack.raw_properties(*resource)), resource->mark});
  }
  if (!stack.structure_waits().empty()) open.push_back({stack.path(), stack.structure_waits(), {}});
}

Value index_of(const Compiled& compiled, const std::string& stack) {
  std::vector<Value> servers;
  for (const ServerDocument& server : compiled.servers) {
    std::vector<Value> held;
    for (const ServerDocument::Held& each : server.held) {
      held.push_back(map_of({{"deployment", Value::string(each.deployment)}, {"waits_for", event_texts(each.events)}}));
    }
    servers.push_back(map_of({{"path", Value::string(server.path)},
                              {"name", Value::string(server.name)},
                              {"id", Value::string(server.id)},
                              {"metadata", Value::string(cat("servers/", server.path, "/metadata.json"))},
                              {"waiting", Value::list(std::move(held))}}));
  }
  MapBuilder outputs;
  for (const auto& [name, value] : compiled.outputs) outputs.set(name, value);
  return map_of({{"stack", Value::string(stack)},
                 {"servers", Value::list(std::move(servers))},
                 {"outputs", Value::map(std::move(outputs))}});
}

}  // namespace

Compiled compile(StackModel& model, const Endpoints& endpoints) {
  const std::vector<Fault> faults = validate_stack(*model.root);
  if (!faults.empty()) throw faults.front();
  Compiled compiled;
  gather_open(*model.root, compiled.open);
  compiled.servers = server_documents(*model.root, endpoints);
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
