#include "metadata/live/heat_blueprint.hpp"

#include "base/text.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/graph/server_metadata.hpp"
#include "metadata/live/value_json.hpp"
#include "metadata/model/fault.hpp"

namespace hearth::metadata::live {

namespace {

Role role_of(Family family) {
  switch (family) {
    case Family::config:
    case Family::random_string: return Role::fixed;
    case Family::deployment: return Role::deployment;
    case Family::deployment_group:
    case Family::group:
    case Family::chain:
    case Family::nested: return Role::nested;
    case Family::server: return Role::server;
    case Family::wait_handle: return Role::wait_handle;
    case Family::wait_condition: return Role::wait_condition;
    case Family::value:
    case Family::none:
    case Family::network:
    case Family::subnet:
    case Family::port:
    case Family::opaque: break;
  }
  return Role::plain;
}

bool is_group(Family family) {
  return family == Family::group || family == Family::chain || family == Family::deployment_group;
}

Value member(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found == nullptr ? Value() : *found;
}

std::string text_member(const Value& map, std::string_view key, const std::string& fallback) {
  const Value found = member(map, key);
  return found.is_string() && !found.text().empty() ? found.text() : fallback;
}

DeploymentTrigger heat_trigger(const Trigger& trigger) {
  return {std::string(word(trigger.action)), trigger.config_id, trigger.created, trigger.signal};
}

}  // namespace

std::unique_ptr<Blueprint> HeatBlueprintMaker::make(const StackDefinition& definition) {
  auto model = std::make_unique<StackModel>();
  Json body = definition.body;
  body["stack_name"] = definition.name;
  try {
    StackRequest request = request_from_body(*model, to_value(body));
    request.id = definition.id;
    request.settings.project = definition.project;
    request.settings.seed = cat(secret_, " ", definition.id);
    build_model(*model, request);
    const std::vector<Fault> faults = validate_stack(*model->root);
    if (!faults.empty()) throw faults.front();
  } catch (const Fault& fault) {
    throw fault.located(model->sources);
  }
  return std::make_unique<HeatBlueprint>(std::move(model));
}

metadata::Resource& HeatBlueprint::at(const std::string& path) {
  metadata::Resource* found = model_->root->find_path(path);
  if (found == nullptr) throw Error(ErrorKind::input, cat("the template has no resource ", path));
  return *found;
}

metadata::Stack& HeatBlueprint::stack_at(const std::string& path) {
  if (path.empty()) return *model_->root;
  metadata::Resource& resource = at(path);
  metadata::Stack* nested = resource.owner->nested_of(resource);
  if (nested == nullptr) throw Error(ErrorKind::input, cat("the members of ", path, " can't be known yet"));
  return *nested;
}

PlannedStack HeatBlueprint::stack(const std::string& path) {
  metadata::Stack& found = stack_at(path);
  PlannedStack plan;
  plan.id = found.identity().id;
  plan.name = found.identity().name;
  plan.description = found.source() == nullptr ? "" : found.source()->description();
  plan.is_group = found.parent() != nullptr && is_group(found.parent()->family);
  for (metadata::Resource* resource : found.resources()) {
    plan.resources.push_back({resource->name, resource->type, role_of(resource->family), found.needs(*resource),
                              resource->definition == nullptr ? "" : resource->definition->description});
  }
  return plan;
}

std::string HeatBlueprint::physical_id(const std::string& path) { return at(path).uuid; }

/// Of a deployment, what its agent would get counts as well: a config's id does not tell its contents.
Json HeatBlueprint::properties(const std::string& path) {
  metadata::Resource& resource = at(path);
  Json properties = to_json(resource.owner->properties(resource));
  if (resource.family == Family::deployment) properties["entry"] = to_json(deployment_entry(resource, {}));
  return properties;
}

Json HeatBlueprint::attributes(const std::string& path) {
  const auto learned = model_->tree->learned.find(path);
  return learned == model_->tree->learned.end() ? Json::object() : to_json(learned->second);
}

PlannedDeployment HeatBlueprint::deployment(const std::string& path, const Trigger& trigger) {
  metadata::Resource& resource = at(path);
  metadata::Resource* server = server_of(resource);
  if (server == nullptr) {
    throw Error(ErrorKind::input, cat("the server of deployment ", path, " is none of this stack's servers"));
  }
  const Value properties = resource.owner->properties(resource);
  PlannedDeployment plan;
  plan.server = server->path;
  plan.signal_transport = text_member(properties, "signal_transport", "CFN_SIGNAL");
  plan.triggers = triggers_on(resource, word(trigger.action));
  plan.replace_key = replacement_key(resource);
  plan.input_values = to_json(member(properties, "input_values"));
  plan.derived = to_json(deployment_entry(resource, heat_trigger(trigger)));
  return plan;
}

PlannedServer HeatBlueprint::server(const std::string& path) {
  metadata::Resource& resource = at(path);
  const Value properties = resource.owner->properties(resource);
  const Value place = member(properties, "deployment_swift_data");
  return {text_member(properties, "name", resource.physical_name),
          text_member(properties, "software_config_transport", "POLL_SERVER_CFN"), text_member(place, "container", ""),
          text_member(place, "object", ""), to_json(resource.owner->metadata_of(resource))};
}

PlannedWait HeatBlueprint::wait(const std::string& path) {
  metadata::Resource& resource = at(path);
  const Value properties = resource.owner->properties(resource);
  const std::string handle = text_member(properties, "handle", "");
  const auto found = model_->tree->by_id.find(handle);
  if (found == model_->tree->by_id.end()) {
    throw Error(ErrorKind::input, cat("the handle of ", path, " is none of this stack's handles"));
  }
  const Value count = member(properties, "count");
  const Value timeout = member(properties, "timeout");
  return {found->second->path, count.is_integer() ? static_cast<std::size_t>(count.as_integer()) : 1,
          timeout.is_integer() ? timeout.as_integer() : 3600};
}

std::vector<PlannedOutput> HeatBlueprint::outputs(const std::string& stack_path) {
  metadata::Stack& found = stack_at(stack_path);
  std::vector<PlannedOutput> all;
  if (found.source() == nullptr) return all;
  for (const OutputDefinition& output : found.source()->outputs()) {
    PlannedOutput row{output.name, output.description, Json(), ""};
    try {
      const Value value = found.output(output.name);
      if (!value.has_waiting()) row.value = to_json(value);
    } catch (const Error& error) {
      row.error = error.what();
    }
    all.push_back(std::move(row));
  }
  return all;
}

Json HeatBlueprint::parameters() { return to_json(model_->root->parameters().shown()); }

void HeatBlueprint::know(const std::string& path, const Json& attributes) {
  model_->root->learn(path, to_value(attributes));
}

}  // namespace hearth::metadata::live
