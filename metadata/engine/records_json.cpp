#include "metadata/engine/records_json.hpp"

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::size_t k_deepest_kept = 1024;

// Each record's members with the keys under which they are kept, once for writing and for reading.

/// With what each is in a resource that nothing is known of.
template <typename Data, typename Each>
void data_fields(Data& data, const Each& each) {
  static const ResourceData none;
  each("key", data.key, none.key);
  each("container", data.container, none.container);
  each("object", data.object, none.object);
  each("former", data.former, none.former);
  each("name", data.name, none.name);
  each("transport", data.transport, none.transport);
  each("metadata", data.metadata, none.metadata);
  each("os-collect-config", data.os_collect_config, none.os_collect_config);
  each("version", data.version, none.version);
  each("modified", data.modified, none.modified);
  each("generation", data.generation, none.generation);
  each("is_machine", data.is_machine, none.is_machine);
  each("machine", data.machine, none.machine);
  each("given", data.given, none.given);
  each("attributes", data.attributes, none.attributes);
  each("signals", data.signals, none.signals);
  each("handle", data.handle, none.handle);
  each("count", data.count, none.count);
  each("deadline", data.deadline, none.deadline);
  each("told", data.told, none.told);
  each("kept", data.kept, none.kept);
  each("blacklist", data.blacklist, none.blacklist);
  each("hook", data.hook, none.hook);
  each("cleared", data.cleared, none.cleared);
}

template <typename Former, typename Each>
void former_fields(Former& former, const Each& each) {
  each("key", former.key);
  each("object", former.object);
  each("until", former.until);
}

template <typename Given, typename Each>
void given_fields(Given& given, const Each& each) {
  each("id", given.id);
  each("ran", given.ran);
  each("os-collect-config", given.os_collect_config);
  each("state", given.state);
  each("reason", given.reason);
}

template <typename State, typename Each>
void deployment_fields(State& state, const Each& each) {
  each("server", state.server);
  each("config_id", state.config_id);
  each("derived", state.derived);
  each("name", state.name);
  each("transport", state.transport);
  each("key_id", state.key_id);
  each("action", state.action);
  each("status", state.status);
  each("reason", state.reason);
  each("input_values", state.input_values);
  each("outputs", state.outputs);
  each("output_values", state.output_values);
  each("pushed", state.pushed);
}

template <typename Record, typename Each>
void stack_fields(Record& stack, const Each& each) {
  each("id", stack.id);
  each("name", stack.name);
  each("path", stack.path);
  each("description", stack.description);
  each("is_group", stack.is_group);
  each("action", stack.action);
  each("status", stack.status);
  each("reason", stack.reason);
  each("created", stack.created);
  each("updated", stack.updated);
}

template <typename Record, typename Each>
void resource_fields(Record& resource, const Each& each) {
  each("name", resource.name);
  each("type", resource.type);
  each("path", resource.path);
  each("physical_id", resource.physical_id);
  each("role", resource.role);
  each("action", resource.action);
  each("status", resource.status);
  each("reason", resource.reason);
  each("description", resource.description);
  each("created", resource.created);
  each("updated", resource.updated);
  each("fingerprint", resource.fingerprint);
  each("era", resource.era);
  each("data", resource.data);
  each("needs", resource.needs);
  each("hooks", resource.hooks);
  each("visited", resource.visited);
  each("removed", resource.removed);
}

// What a member is in JSON, where the library does not know.

template <typename Value>
Json kept_member(const Value& value) {
  return value;
}
Json kept_member(Action action) { return word(action); }
Json kept_member(Status status) { return word(status); }
Json kept_member(Role role) { return static_cast<int>(role); }
Json kept_member(const FormerKey& former);
Json kept_member(const GivenServer& given);
Json kept_member(const ResourceData& data) { return to_json(data); }

template <typename Value>
void take_member(const Json& json, Value& value) {
  value = json.get<Value>();
}
void take_member(const Json& json, Action& action) { action = parse_action(json.get<std::string>()).value_or(action); }
void take_member(const Json& json, Status& status) { status = parse_status(json.get<std::string>()).value_or(status); }
void take_member(const Json& json, Role& role) { role = static_cast<Role>(json.get<int>()); }
void take_member(const Json& json, FormerKey& former);
void take_member(const Json& json, GivenServer& given);
void take_member(const Json& json, ResourceData& data) { data = resource_data_from(json); }

auto member_writer(Json& json) {
  return [&json](const char* key, const auto& value) { json[key] = kept_member(value); };
}

/// What is not there, or null, stays as it is. Throws Json::exception for what is no map.
auto member_reader(const Json& json) {
  (void)json.value("", false);
  return [&json](const char* key, auto& value, const auto&...) {
    if (const auto found = json.find(key); found != json.end() && !found->is_null()) take_member(*found, value);
  };
}

Json kept_member(const FormerKey& former) {
  Json json = Json::object();
  former_fields(former, member_writer(json));
  return json;
}
Json kept_member(const GivenServer& given) {
  Json json = Json::object();
  given_fields(given, member_writer(json));
  return json;
}
void take_member(const Json& json, FormerKey& former) { former_fields(former, member_reader(json)); }
void take_member(const Json& json, GivenServer& given) { given_fields(given, member_reader(json)); }

}  // namespace

std::string kept_text(const Json& value, std::string_view what) {
  if (is_deeper_than(value, k_deepest_kept)) {
    throw Error(ErrorKind::input, cat(what, " can't be kept: it is nested deeper than ", k_deepest_kept, " levels"));
  }
  return format_json(value, {.lossy = true});
}

Json kept_json(std::string_view text, std::string_view what) {
  return parse_json(text, what, k_deepest_kept).value_or_throw();
}

std::vector<std::string> credentials_in(const Json& resource) {
  std::vector<std::string> found;
  for (const char* pointer :
       {"/data/key", "/data/object", "/data/former/key", "/data/former/object", "/deployment/key_id"}) {
    const Json::json_pointer place(pointer);
    if (!resource.contains(place) || !resource.at(place).is_string()) continue;
    if (std::string text = resource.at(place).get<std::string>(); !text.empty()) found.push_back(std::move(text));
  }
  return found;
}

/// Without what is as in a resource that nothing is known of.
Json to_json(const ResourceData& data) {
  Json json = Json::object();
  data_fields(data, [&json](const char* key, const auto& value, const auto& none) {
    if (value != none) json[key] = kept_member(value);
  });
  return json;
}

ResourceData resource_data_from(const Json& json) {
  ResourceData data;
  data_fields(data, member_reader(json));
  return data;
}

Json to_json(const DeploymentState& state) {
  Json json = Json::object();
  deployment_fields(state, member_writer(json));
  return json;
}

DeploymentState deployment_from(const Json& json) {
  DeploymentState state;
  deployment_fields(state, member_reader(json));
  return state;
}

Json to_json(const StackRecord& stack) {
  Json json = Json::object();
  stack_fields(stack, member_writer(json));
  return json;
}

StackRecord stack_from(const Json& json) {
  StackRecord stack;
  stack_fields(stack, member_reader(json));
  return stack;
}

Json to_json(const ResourceRecord& resource) {
  Json json = Json::object();
  resource_fields(resource, member_writer(json));
  if (resource.hooks.empty()) json.erase("hooks");
  if (resource.role == Role::deployment) json["deployment"] = to_json(resource.deployment);
  return json;
}

ResourceRecord resource_from(const Json& json) {
  ResourceRecord resource;
  resource_fields(resource, member_reader(json));
  if (json.contains("deployment")) resource.deployment = deployment_from(json["deployment"]);
  return resource;
}

std::size_t exported_era(const Json& row) {
  const Json known = row.is_object() ? row.value("hearth", Json()) : Json();
  const Json era = known.is_object() ? known.value("era", Json()) : Json();
  return era.is_number_unsigned() ? era.get<std::uint32_t>() : 0;
}

}  // namespace hearth::metadata::live
