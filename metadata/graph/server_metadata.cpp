#include "metadata/graph/server_metadata.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "metadata/graph/identity.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

Value text_value(std::string value) { return Value::string(std::move(value)); }

std::vector<Value> list_of(const Value& value) { return value.is_list() ? value.items() : std::vector<Value>{}; }

/// What the keys by which agents come in are derived from.
const std::string& seed_of_keys(const Tree& tree, KeyAge age) {
  if (age == KeyAge::former) return tree.settings.former_key_seed;
  return tree.settings.key_seed.empty() ? tree.settings.seed : tree.settings.key_seed;
}

/// A resource's way in, by keys that follow from the tree's seed.
AgentAccess access_of(const Resource& resource, const Endpoints& endpoints, KeyAge age) {
  const StackIdentity& stack = resource.owner->identity();
  const Tree& tree = resource.owner->tree();
  const std::string& seed = seed_of_keys(tree, age);
  const std::string place = tree.secret_place(resource.path);
  return {endpoints,
          derived_secret(seed, "object key", tree.root_id, 32),
          {stack.project, stack.name, stack.id},
          resource.name,
          {derived_secret(seed, "access key", place, 32), derived_secret(seed, "secret key", place, 32)},
          derived_uuid(tree.settings.seed, "queue", place)};
}

Value text_or(const Value& value, std::string otherwise) {
  return value.is_null() ? text_value(std::move(otherwise)) : value;
}

std::string transport_in(const Value& properties, std::string_view key, std::string usual) {
  const Value transport = member(properties, key);
  return transport.is_string() ? transport.text() : usual;
}

Resource* config_named(Resource& deployment, const Value& given) {
  const Value id = member(given, "config");
  if (!truth(id) || id.is_waiting()) return nullptr;
  const auto& known = deployment.owner->tree().by_id;
  const auto found = known.find(python_str(id));
  if (found == known.end() || found->second->family != Family::config) {
    throw validation_fault(cat("resources.", deployment.name, ".properties.config: ", python_str(id),
                               " is not a software config of this stack"),
                           id.mark().known() ? id.mark() : deployment.mark);
  }
  return found->second;
}

/// A declared default in the input's type; the type's zero where none is declared.
Value typed_default(const Value& input) {
  const std::string type = python_str(text_or(member(input, "type"), "String"));
  Value given = member(input, "default");
  if (given.is_null()) {
    if (type == "Number") return Value::integer(0);
    if (type == "CommaDelimitedList") return Value::list({});
    if (type == "Json") return Value::map({});
    if (type == "Boolean") return Value::boolean(false);
    return text_value("");
  }
  if (given.is_waiting()) return given;
  if (type == "Number") return to_number(given);
  if (type == "Boolean") return Value::boolean(to_boolean(given));
  if (type == "CommaDelimitedList") return convert_parameter(given, DataType::list);
  if (type == "String") return to_type(given, DataType::string);
  return given;
}

Value fixed_input(std::string_view name, const std::string& value, std::string_view description) {
  return map_of({{"name", text_value(std::string(name))},
                 {"description", text_value(std::string(description))},
                 {"type", text_value("String")},
                 {"value", text_value(value)}});
}

std::string_view signal_description(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> k_descriptions{
      {{"deploy_signal_id", "ID of signal to use for signaling output values"},
       {"deploy_signal_verb", "HTTP verb to use for signaling output values"},
       {"deploy_auth_url", "URL for API authentication"},
       {"deploy_username", "Username for API authentication"},
       {"deploy_user_id", "User ID for API authentication"},
       {"deploy_password", "Password for API authentication"},
       {"deploy_project_id", "ID of project for API authentication"},
       {"deploy_region_name", "Region name for API authentication"},
       {"deploy_queue_id", "ID of queue to use for signaling output values"}}};
  for (const auto& [known, description] : k_descriptions) {
    if (known == name) return description;
  }
  return "";
}

std::vector<Value> declared_inputs(const Value& config, const Value& values) {
  std::vector<Value> inputs;
  for (const Value& input : list_of(member(config, "inputs"))) {
    MapBuilder made;
    const Value fallback = typed_default(input);
    const Value* given = values.find(python_str(member(input, "name")));
    made.set("name", member(input, "name")).set("description", text_or(member(input, "description"), ""));
    made.set("type", text_or(member(input, "type"), "String")).set("default", fallback);
    if (truth(member(input, "replace_on_change"))) made.set("replace_on_change", Value::boolean(true));
    made.set("value", given != nullptr ? *given : fallback);  // what was given null is null
    inputs.push_back(Value::map(std::move(made)));
  }
  return inputs;
}

bool is_declared(const Value& config, const std::string& name) {
  const std::vector<Value> inputs = list_of(member(config, "inputs"));
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Value& input) { return python_str(member(input, "name")) == name; });
}

std::vector<Value> all_inputs(Resource& deployment, const Value& given, const Value& config,
                              const DeploymentTrigger& trigger) {
  const Value values = member(given, "input_values");
  std::vector<Value> inputs = declared_inputs(config, values);
  for (const Entry& entry : values.is_map() ? values.entries() : std::vector<Entry>{}) {
    if (is_declared(config, python_str(entry.key))) continue;
    inputs.push_back(
        map_of({{"name", text_value(python_str(entry.key))}, {"type", text_value("String")}, {"value", entry.value}}));
  }
  const StackIdentity& stack = deployment.owner->identity();
  const Value server = member(given, "server");
  inputs.push_back(map_of({{"name", text_value("deploy_server_id")},
                           {"description", text_value("ID of the server being deployed to")},
                           {"type", text_value("String")},
                           {"value", server}}));
  inputs.push_back(fixed_input("deploy_action", trigger.action, "Name of the current action being deployed"));
  inputs.push_back(
      fixed_input("deploy_stack_id", cat(stack.name, "/", stack.id), "ID of the stack this deployment belongs to"));
  inputs.push_back(
      fixed_input("deploy_resource_name", deployment.name, "Name of this deployment resource in the stack"));
  inputs.push_back(fixed_input("deploy_signal_transport",
                               python_str(text_or(member(given, "signal_transport"), "CFN_SIGNAL")),
                               "How the server should signal to heat with the deployment output values."));
  for (const auto& [name, value] : trigger.signal) inputs.push_back(fixed_input(name, value, signal_description(name)));
  return inputs;
}

/// A map of one key, the input key, with a text is that input's value.
Value substituted(const Value& value, const std::string& key, const std::vector<Value>& inputs, bool strict) {
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(substituted(item, key, inputs, strict));
    return Value::list(std::move(items)).with_mark(value.mark());
  }
  if (!value.is_map()) return value;
  if (value.entries().size() == 1) {
    const Value* name = value.find(key);
    if (name != nullptr && name->is_string()) {
      for (const Value& input : inputs) {
        if (python_str(member(input, "name")) == name->text()) return member(input, "value");
      }
      if (strict)
        throw Fault("UserParameterMissing", cat("The Parameter (", name->text(), ") was not provided."), name->mark());
      return {};
    }
  }
  MapBuilder members;
  for (const Entry& entry : value.entries()) members.set(entry.key, substituted(entry.value, key, inputs, strict));
  return Value::map(std::move(members)).with_mark(value.mark());
}

std::vector<Value> outputs_of(const Value& config) {
  std::vector<Value> outputs;
  for (const Value& output : list_of(member(config, "outputs"))) {
    outputs.push_back(map_of({{"name", member(output, "name")},
                              {"description", text_or(member(output, "description"), "")},
                              {"type", text_or(member(output, "type"), "String")},
                              {"error_output", Value::boolean(truth(member(output, "error_output")))}}));
  }
  return outputs;
}

std::string group_of(Resource* config, const Value& properties) {
  if (config == nullptr || config->real_type == "OS::Heat::CloudConfig") return "Heat::Ungrouped";
  if (config->real_type == "OS::Heat::SoftwareComponent") return "component";
  const Value group = member(properties, "group");
  return truth(group) ? python_str(group) : "Heat::Ungrouped";
}

}  // namespace

Resource* config_of(Resource& deployment) { return config_named(deployment, deployment.owner->properties(deployment)); }

Resource* server_of(Resource& deployment) {
  const Value server = member(deployment.owner->properties(deployment), "server");
  if (!server.is_string()) return nullptr;
  const auto& known = deployment.owner->tree().by_id;
  const auto found = known.find(server.text());
  return found != known.end() && found->second->family == Family::server ? found->second : nullptr;
}

bool triggers_on(Resource& deployment, std::string_view action) {
  const Value given = deployment.owner->properties(deployment);
  Resource* config = config_named(deployment, given);
  const auto names = [action](const Value& actions) {
    const std::vector<Value> all = list_of(actions);
    if (!actions.is_list()) return action == "CREATE" || action == "UPDATE";
    return std::any_of(all.begin(), all.end(),
                       [action](const Value& a) { return a.is_string() && a.text() == action; });
  };
  if (config == nullptr || config->real_type != "OS::Heat::SoftwareComponent") return names(member(given, "actions"));
  const std::vector<Value> configs = list_of(member(config->owner->properties(*config), "configs"));
  return std::any_of(configs.begin(), configs.end(), [&](const Value& each) { return names(member(each, "actions")); });
}

Value deployment_entry(Resource& deployment, const DeploymentTrigger& trigger) {
  Value given = deployment.owner->properties(deployment);
  if (given.is_waiting()) return given;
  Value id = member(given, "config");
  if (id.is_waiting()) return id;
  Resource* config = config_named(deployment, given);
  const Value properties = config == nullptr ? Value::map({}) : config->owner->properties(*config);
  const std::vector<Value> inputs = all_inputs(deployment, given, properties, trigger);
  const bool structured = deployment.real_type == "OS::Heat::StructuredDeployment";
  Value content = config == nullptr ? Value() : config_value(config->real_type, properties, *config->owner);
  if (structured) {
    const std::string key = python_str(text_or(member(given, "input_key"), "get_input"));
    const bool strict = python_str(member(given, "input_values_validate")) == "STRICT";
    content = content.is_map()    ? substituted(content, key, inputs, strict)
              : content.is_null() ? Value::map({})
                                  : content;
  } else if (content.is_null()) {
    content = text_value("");
  }
  const Value name = member(given, "name");
  const std::string fallback = config != nullptr ? config->physical_name : deployment.physical_name;
  const Value options = member(properties, "options");
  return map_of({{"id", text_value(trigger.config_id)},
                 {"name", truth(name) || name.is_waiting() ? name : text_value(fallback)},
                 {"group", text_value(group_of(config, properties))},
                 {"creation_time", text_value(trigger.created)},
                 {"config", content},
                 {"inputs", Value::list(inputs)},
                 {"outputs", Value::list(outputs_of(properties))},
                 {"options", options.is_null() ? Value::map({}) : options}});
}

Parameters signal_inputs(Resource& deployment, const Endpoints& endpoints, KeyAge age) {
  const Value given = deployment.owner->properties(deployment);
  return access_of(deployment, endpoints, age)
      .signal_inputs(transport_in(given, "signal_transport", "CFN_SIGNAL"), deployment.physical_name,
                     endpoints.created);
}

Value collect_section(Resource& server, const Endpoints& endpoints, KeyAge age) {
  const Value given = server.owner->properties(server);
  const Value data = member(given, "deployment_swift_data");
  const Tree& tree = server.owner->tree();
  const auto named = [&](const char* key, const std::string& otherwise) {
    const Value name = member(data, key);
    return truth(name) ? python_str(name) : otherwise;
  };
  const CollectSection section =
      access_of(server, endpoints, age)
          .collect_section(transport_in(given, "software_config_transport", "POLL_SERVER_CFN"),
                           named("container", server.physical_name),
                           named("object", derived_uuid(tree.settings.seed, "object", tree.secret_place(server.path))));
  MapBuilder fields;
  for (const auto& [name, value] : section.fields) fields.set(name, text_value(value));
  return map_of({{"collectors", Value::list({text_value(section.collector), text_value("local")})},
                 {section.collector, Value::map(std::move(fields))}});
}

namespace {

/// The id follows what is deployed, so that an agent runs what changed and passes over what did not: it follows neither
/// the keys and addresses by which the agent answers, nor the time.
Value with_content_id(const Value& entry, const Resource& deployment, const Parameters& signal) {
  MapBuilder content;
  for (const Entry& each : entry.entries()) {
    const std::string key = python_str(each.key);
    if (key == "id" || key == "creation_time") continue;
    if (key != "inputs") {
      content.set(each.key, each.value);
      continue;
    }
    std::vector<Value> inputs;
    for (const Value& input : each.value.items()) {
      const std::string name = python_str(member(input, "name"));
      const bool address =
          std::any_of(signal.begin(), signal.end(), [&](const auto& one) { return one.first == name; });
      if (!address) inputs.push_back(input);
    }
    content.set(each.key, Value::list(std::move(inputs)));
  }
  const std::string& seed = deployment.owner->tree().settings.seed;
  const std::string place = cat(deployment.uuid, "/", json_text(Value::map(std::move(content))));
  MapBuilder whole(entry.entries());
  whole.set("id", text_value(derived_uuid(seed, "derived config", place)));
  return Value::map(std::move(whole)).with_mark(entry.mark());
}

/// The keys of before a rotation, with which agents still come that have not been here since; null when there are none.
Value former_keys(Resource& server, const std::vector<Resource*>& deployments,
                  const std::vector<ServerDocument::Sent>& sent, const Endpoints& endpoints) {
  const Tree& tree = server.owner->tree();
  if (tree.settings.former_key_seed.empty()) return {};
  std::vector<Value> signals;
  for (std::size_t i = 0; i < deployments.size(); ++i) {
    MapBuilder inputs;
    for (const auto& [name, value] : signal_inputs(*deployments[i], endpoints, KeyAge::former))
      inputs.set(name, text_value(value));
    signals.push_back(map_of({{"id", text_value(sent[i].id)}, {"inputs", Value::map(std::move(inputs))}}));
  }
  return map_of({{"until", Value::integer(tree.settings.former_until)},
                 {"os-collect-config", collect_section(server, endpoints, KeyAge::former)},
                 {"signals", Value::list(std::move(signals))}});
}

}  // namespace

std::vector<ServerDocument> server_documents(Stack& root, const Endpoints& endpoints) {
  std::vector<Resource*> servers;
  std::vector<Resource*> deployments;
  for_each_resource(root, [&](Resource& resource) {
    if (resource.family == Family::server) servers.push_back(&resource);
    if (resource.family == Family::deployment) deployments.push_back(&resource);
  });
  std::unordered_map<Resource*, std::size_t> places;
  std::vector<ServerDocument> documents(servers.size());
  std::vector<std::vector<Value>> entries(servers.size());
  std::vector<std::vector<Resource*>> sent(servers.size());
  for (std::size_t i = 0; i < servers.size(); ++i) places[servers[i]] = i;
  for (Resource* deployment : deployments) {
    Resource* server = server_of(*deployment);
    if (server == nullptr || !triggers_on(*deployment, "CREATE")) continue;
    const std::size_t place = places.at(server);
    const auto signal = signal_inputs(*deployment, endpoints);
    const Value entry = deployment_entry(*deployment, {"CREATE", "", endpoints.created, signal});
    if (entry.has_waiting()) {
      documents[place].held.push_back({deployment->path, events_in(entry), deployment->mark});
    } else {
      const Value whole = with_content_id(entry, *deployment, signal);
      documents[place].sent.push_back({deployment->path, python_str(member(whole, "id"))});
      entries[place].push_back(whole);
      sent[place].push_back(deployment);
    }
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    Resource& server = *servers[i];
    std::stable_sort(entries[i].begin(), entries[i].end(), [](const Value& a, const Value& b) {
      return python_str(member(a, "name")) < python_str(member(b, "name"));
    });
    MapBuilder document;
    document.set("deployments", Value::list(std::move(entries[i])))
        .set("os-collect-config", collect_section(server, endpoints));
    const Value own = server.owner->metadata_of(server);
    for (const Entry& entry : own.is_map() ? own.entries() : std::vector<Entry>{}) {
      if (python_str(entry.key) != "deployments") document.set(entry.key, entry.value);
    }
    const Value name = server.owner->attribute_of(server, {text_value("name")});
    documents[i].path = server.path;
    documents[i].name = name.is_string() ? name.text() : server.physical_name;
    documents[i].id = server.uuid;
    documents[i].metadata = Value::map(std::move(document));
    documents[i].former = former_keys(server, sent[i], documents[i].sent, endpoints);
  }
  return documents;
}

}  // namespace hearth::metadata
