#include "metadata/engine/records_json.hpp"

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::size_t k_deepest_kept = 1024;

std::string text(const Json& json, const char* key) { return json.value(key, std::string()); }

Action action_of(const Json& json) { return parse_action(text(json, "action")).value_or(Action::init); }
Status status_of(const Json& json) { return parse_status(text(json, "status")).value_or(Status::complete); }

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

Json to_json(const DeploymentState& state) {
  Json json = Json::object();
  json["server"] = state.server;
  json["config_id"] = state.config_id;
  json["derived"] = state.derived;
  json["name"] = state.name;
  json["transport"] = state.transport;
  json["key_id"] = state.key_id;
  json["action"] = word(state.action);
  json["status"] = word(state.status);
  json["reason"] = state.reason;
  json["input_values"] = state.input_values;
  json["outputs"] = state.outputs;
  json["output_values"] = state.output_values;
  json["pushed"] = state.pushed;
  return json;
}

DeploymentState deployment_from(const Json& json) {
  DeploymentState state;
  state.server = text(json, "server");
  state.config_id = text(json, "config_id");
  state.derived = text(json, "derived");
  state.name = text(json, "name");
  state.transport = text(json, "transport");
  state.key_id = text(json, "key_id");
  state.action = action_of(json);
  state.status = status_of(json);
  state.reason = text(json, "reason");
  state.input_values = member_or_null(json, "input_values");
  state.outputs = member_or_null(json, "outputs");
  state.output_values = member_or_null(json, "output_values");
  state.pushed = json.value("pushed", false);
  return state;
}

Json to_json(const Stack& stack) {
  Json json = Json::object();
  json["id"] = stack.id;
  json["name"] = stack.name;
  json["path"] = stack.path;
  json["description"] = stack.description;
  json["is_group"] = stack.is_group;
  json["action"] = word(stack.action);
  json["status"] = word(stack.status);
  json["reason"] = stack.reason;
  json["created"] = stack.created;
  json["updated"] = stack.updated;
  return json;
}

Stack stack_from(const Json& json) {
  Stack stack;
  stack.id = text(json, "id");
  stack.name = text(json, "name");
  stack.path = text(json, "path");
  stack.description = text(json, "description");
  stack.is_group = json.value("is_group", false);
  stack.action = action_of(json);
  stack.status = status_of(json);
  stack.reason = text(json, "reason");
  stack.created = json.value("created", std::int64_t{0});
  stack.updated = json.value("updated", std::int64_t{0});
  return stack;
}

Json to_json(const Resource& resource) {
  Json json = Json::object();
  json["name"] = resource.name;
  json["type"] = resource.type;
  json["path"] = resource.path;
  json["physical_id"] = resource.physical_id;
  json["role"] = static_cast<int>(resource.role);
  json["action"] = word(resource.action);
  json["status"] = word(resource.status);
  json["reason"] = resource.reason;
  json["description"] = resource.description;
  json["created"] = resource.created;
  json["updated"] = resource.updated;
  json["fingerprint"] = resource.fingerprint;
  json["era"] = resource.era;
  json["data"] = resource.data;
  json["needs"] = resource.needs;
  if (!resource.hooks.empty()) json["hooks"] = resource.hooks;
  json["visited"] = resource.visited;
  json["removed"] = resource.removed;
  if (resource.role == Role::deployment) json["deployment"] = to_json(resource.deployment);
  return json;
}

Resource resource_from(const Json& json) {
  Resource resource;
  resource.name = text(json, "name");
  resource.type = text(json, "type");
  resource.path = text(json, "path");
  resource.physical_id = text(json, "physical_id");
  resource.role = static_cast<Role>(json.value("role", 0));
  resource.action = action_of(json);
  resource.status = status_of(json);
  resource.reason = text(json, "reason");
  resource.description = text(json, "description");
  resource.created = json.value("created", std::int64_t{0});
  resource.updated = json.value("updated", std::int64_t{0});
  resource.fingerprint = text(json, "fingerprint");
  resource.era = json.value("era", std::size_t{0});
  resource.data = json.value("data", Json::object());
  resource.needs = json.value("needs", std::vector<std::string>());
  resource.hooks = json.value("hooks", std::vector<std::string>());
  resource.visited = json.value("visited", false);
  resource.removed = json.value("removed", false);
  if (json.contains("deployment")) resource.deployment = deployment_from(json["deployment"]);
  return resource;
}

std::size_t exported_era(const Json& row) {
  const Json known = row.is_object() ? row.value("hearth", Json()) : Json();
  const Json era = known.is_object() ? known.value("era", Json()) : Json();
  return era.is_number_unsigned() ? era.get<std::uint32_t>() : 0;
}

}  // namespace hearth::metadata::live
