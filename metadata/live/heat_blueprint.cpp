#include "metadata/live/heat_blueprint.hpp"

#include <algorithm>
#include <set>

#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/compile/user_data.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/graph/server_metadata.hpp"
#include "metadata/live/schema_json.hpp"
#include "metadata/live/value_json.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata::live {

namespace {

Role role_of(Family family) { return description_of(family).role; }

/// The public keys of the pair of this name, where the stack or one around it has one with a key.
Json public_keys(metadata::Stack* stack, const Value& name) {
  for (; stack != nullptr && truth(name); stack = stack->parent() == nullptr ? nullptr : stack->parent()->owner) {
    for (metadata::Resource* each : stack->resources()) {
      if (each->family != Family::key_pair || !(each->owner->reference_of(*each) == name)) continue;
      const Value key = member(each->owner->properties(*each), "public_key");
      if (truth(key)) return {{python_str(name), python_str(key)}};
    }
  }
  return Json::object();
}

bool is_group(Family family) {
  return family == Family::group || family == Family::chain || family == Family::deployment_group;
}

std::string text_member(const Value& map, std::string_view key, const std::string& fallback) {
  const Value found = member(map, key);
  return found.is_string() && !found.text().empty() ? found.text() : fallback;
}

DeploymentTrigger heat_trigger(const Trigger& trigger) {
  return {std::string(word(trigger.action)), trigger.config_id, trigger.created, trigger.signal};
}

/// What kept() said of the resource.
void bring_back(Tree& tree, const std::string& path, const Json& kept) {
  if (kept.is_object() && kept.value("value", Json()).is_string()) tree.random_texts[path] = kept["value"];
  for (const Json& each : kept.is_array() ? kept : Json::array()) {
    const bool whole = each.value("subnet_id", Json()).is_string() && each.value("ip_address", Json()).is_string();
    if (whole) tree.held[path][each["subnet_id"]] = each["ip_address"];
  }
}

}  // namespace

std::unique_ptr<Blueprint> HeatBlueprintMaker::make(const StackDefinition& definition) {
  auto model = std::make_unique<StackModel>();
  model->breathe = breathe;
  Json body = definition.body;
  body["stack_name"] = definition.name;
  try {
    const Json given = body.value("template", Json());
    if (given.is_string()) check_template_size(given.get_ref<const std::string&>().size(), k_largest_template);
    StackRequest request = request_from_body(*model, to_value(body));
    request.settings.largest_template = k_largest_template;
    request.id = definition.id;
    request.settings.project = definition.project;
    request.settings.keeps_properties = true;
    request.settings.seed = cat(secret_, " ", definition.id);
    build_model(*model, request);
    model->tree->era = definition.era;
    model->tree->eras = definition.eras;
    for (const auto& [path, kept] : definition.kept) bring_back(*model->tree, path, kept);
    const std::vector<Fault> faults = validate_stack(*model->root);
    if (!faults.empty()) throw faults.front();
  } catch (const Fault& fault) {
    throw fault.located(model->sources);
  }
  return std::make_unique<HeatBlueprint>(std::move(model), std::move(body));
}

/// Hooks are the client's own addition to the environment that it sends, beside the files that it names.
HeatBlueprint::HeatBlueprint(std::unique_ptr<StackModel> model, Json given)
    : model_(std::move(model)), given_(given.value("parameters", Json::object())), nonce_(random_uuid()) {
  Json resources = Json::object();
  for (const Json& registry : {environment_json(model_->tree->environment, {})["resource_registry"],
                               given.contains("environment") && given["environment"].is_object()
                                   ? given["environment"].value("resource_registry", Json::object())
                                   : Json::object()}) {
    if (registry.is_object() && registry.contains("resources") && registry["resources"].is_object()) {
      resources.update(registry["resources"], true);
    }
  }
  if (!resources.empty()) breakpoints_.emplace(resources);
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
                              resource->definition == nullptr ? "" : resource->definition->description,
                              breakpoints_ ? breakpoints_->hooks_of(resource->path) : std::vector<std::string>{}});
  }
  if (found.parent() != nullptr && found.parent()->family == Family::group) {
    const std::set<std::string>& names = found.parent()->passed_over;
    plan.blacklist.assign(names.begin(), names.end());
  }
  return plan;
}

std::string HeatBlueprint::physical_id(const std::string& path) {
  metadata::Resource& resource = at(path);
  const FamilyDescription& family = description_of(resource.family);
  if (family.reference == ReferenceKind::external_id || family.reference == ReferenceKind::own_name)
    return python_str(resource.owner->reference_of(resource));
  return family.known_by_name ? resource.physical_name : resource.uuid;
}

Json HeatBlueprint::reference(const std::string& path) {
  metadata::Resource& resource = at(path);
  const Value reference = resource.owner->reference_of(resource);
  return reference.has_waiting() ? Json() : to_json(reference);
}

/// With all else that Heat compares, under names that no property has. Of a deployment, what its agent would get counts
/// as well: a config's id does not tell its contents. Of what holds a stack, only what can't change there.
Json HeatBlueprint::properties(const std::string& path) {
  metadata::Resource& resource = at(path);
  if (resource.real_type == "OS::Heat::None") return Json::object();  // whatever changes, it is the same
  if (resource.family == Family::external) return {{"(external_id)", to_json(resource.owner->reference_of(resource))}};
  if (role_of(resource.family) == Role::nested) return fixed_properties(resource);
  Json properties = to_json(resource.owner->properties(resource));
  if (resource.family == Family::deployment) properties["entry"] = to_json(deployment_entry(resource, {}));
  const Json metadata = to_json(resource.owner->metadata_of(resource));
  if (metadata.is_object() && !metadata.empty()) properties["(metadata)"] = metadata;
  const ResourceDefinition* written = resource.definition;
  for (const Value& name : written == nullptr ? std::vector<Value>{} : written->depends_on) {
    properties["(depends_on)"].push_back(to_json(name));
  }
  if (written != nullptr && written->deletion_policy != "Delete")
    properties["(deletion_policy)"] = written->deletion_policy;
  if (resource.real_type == "OS::Heat::UpdateWaitConditionHandle") properties["update"] = nonce_;  // always anew
  return properties;
}

/// Where one of these changes, another stack takes the place.
Json HeatBlueprint::fixed_properties(metadata::Resource& resource) {
  Json fixed = Json::object();
  if (resource.table == nullptr) return fixed;
  const Value properties = resource.owner->properties(resource);
  for (const Entry& entry : properties.is_map() ? properties.entries() : std::vector<Entry>{}) {
    const std::string name = python_str(entry.key);
    const PropertySchema* schema = resource.table->property(name);
    if (schema != nullptr && !schema->updatable) fixed[name] = to_json(entry.value);
  }
  return fixed;
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
  plan.input_values = to_json(member(properties, "input_values"));
  plan.derived = to_json(deployment_entry(resource, heat_trigger(trigger)));
  return plan;
}

PlannedServer HeatBlueprint::server(const std::string& path) {
  metadata::Resource& resource = at(path);
  const Value properties = resource.owner->properties(resource);
  const Value place = member(properties, "deployment_swift_data");
  return {text_member(properties, "name", resource.physical_name),
          text_member(properties, "software_config_transport", "POLL_SERVER_CFN"),
          text_member(place, "container", ""),
          text_member(place, "object", ""),
          to_json(resource.owner->metadata_of(resource)),
          resource.real_type == "OS::Nova::Server",
          public_keys(resource.owner, member(properties, "key_name"))};
}

std::string HeatBlueprint::user_data(const std::string& path, const Json& document) {
  const Value text = server_user_data(at(path), to_value(document), Endpoints{});
  return text.is_string() ? text.text() : std::string();
}

PlannedHandle HeatBlueprint::handle(const std::string& path) {
  metadata::Resource& resource = at(path);
  PlannedHandle plan;
  if (resource.real_type == "OS::Heat::SwiftSignalHandle") plan.form = PlannedHandle::Form::swift;
  if (resource.real_type == "AWS::CloudFormation::WaitConditionHandle" ||
      resource.real_type == "OS::Heat::UpdateWaitConditionHandle") {
    plan.form = PlannedHandle::Form::aws;
  }
  plan.transport = text_member(resource.owner->properties(resource), "signal_transport", "TOKEN_SIGNAL");
  return plan;
}

Json HeatBlueprint::kept(const std::string& path) {
  metadata::Resource& resource = at(path);
  if (resource.family == Family::random_string) {
    const auto known = model_->tree->random_texts.find(path);
    return known == model_->tree->random_texts.end() ? Json() : Json{{"value", known->second}};
  }
  if (resource.family != Family::port) return {};
  const Value addresses = resource.owner->attribute_of(resource, {Value::string("fixed_ips")});
  return addresses.is_list() && !addresses.has_waiting() ? to_json(addresses) : Json();
}

Json HeatBlueprint::resource_data(const std::string& path) {
  metadata::Resource* resource = model_->root->find_path(path);
  if (resource == nullptr || resource->family != Family::random_string) return Json::object();
  const Value value = resource->owner->attribute_of(*resource, {Value::string("value")});
  return value.is_string() ? Json{{"value", to_json(value)}} : Json::object();
}

void HeatBlueprint::renew(const std::string& path) { model_->root->renew(path); }

/// The tables say of each property whether Heat can change it on what is there.
bool HeatBlueprint::updates_in_place(const std::string& path, const std::vector<std::string>& changed) {
  const metadata::Resource& resource = at(path);
  if (resource.table == nullptr) return true;
  return std::all_of(changed.begin(), changed.end(), [&](const std::string& name) {
    const PropertySchema* property = resource.table->property(name);
    return property == nullptr || property->updatable;
  });
}

PlannedWait HeatBlueprint::wait(const std::string& path) {
  metadata::Resource& resource = at(path);
  const Value properties = resource.owner->properties(resource);
  const std::string handle = text_member(properties, "handle", "");
  const auto by_id = model_->tree->by_id.find(handle);
  const auto by_url = handle_of_.find(handle);
  if (by_id == model_->tree->by_id.end() && by_url == handle_of_.end()) {
    throw Error(ErrorKind::input, cat("the handle of ", path, " is none of this stack's handles"));
  }
  const Value count = member(properties, "count");
  const Value timeout = member(properties, "timeout");
  return {by_url == handle_of_.end() ? by_id->second->path : by_url->second,
          count.is_integer() ? static_cast<std::size_t>(count.as_integer()) : 1,
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

Json HeatBlueprint::parameters(const std::string& stack_path) {
  metadata::Stack& found = stack_at(stack_path);
  return found.source() == nullptr ? Json::object() : to_json(found.parameters().shown());
}

std::vector<std::string> HeatBlueprint::immutable_parameters() {
  std::vector<std::string> names;
  for (const ParameterSchema& schema : model_->root->parameters().schemata()) {
    if (schema.immutable) names.push_back(schema.name);
  }
  return names;
}

Json HeatBlueprint::shown_attributes(const std::string& path) {
  metadata::Resource& resource = at(path);
  std::vector<std::string> names;
  if (resource.table != nullptr) names = resource.table->attributes;
  if (resource.family == Family::nested || is_group(resource.family)) {
    metadata::Stack* nested = resource.owner->nested_of(resource);
    names = {"refs"};
    if (resource.family == Family::group) names = {"refs", "refs_map", "removed_rsrc_list"};
    if (nested != nullptr && nested->source() != nullptr) {
      names.clear();
      for (const OutputDefinition& output : nested->source()->outputs()) names.push_back(output.name);
    }
  }
  Json all = Json::object();
  const auto learned = model_->tree->learned.find(path);
  if (learned != model_->tree->learned.end() && !is_group(resource.family)) all = to_json(learned->second);
  for (const std::string& name : names) {
    if (name == "show") continue;
    try {
      const Value value = resource.owner->attribute_of(resource, {Value::string(name)});
      all[name] = value.has_waiting() ? Json() : to_json(value);
    } catch (const Error&) {  // not every attribute can be told of everything
      all[name] = Json();
    }
  }
  return all;
}

Json HeatBlueprint::source(const std::string& stack_path) {
  metadata::Stack& found = stack_at(stack_path);
  if (found.source() != nullptr) return to_json(found.source()->document());
  Json out = Json::object();
  out["heat_template_version"] = "2015-04-30";
  out["resources"] = Json::object();
  for (metadata::Resource* resource : found.resources()) {
    const Value properties = found.raw_properties(*resource);
    out["resources"][resource->name] = {{"type", resource->type},
                                        {"properties", properties.has_waiting() ? Json() : to_json(properties)}};
  }
  return out;
}

Json HeatBlueprint::environment() { return environment_json(model_->tree->environment, given_); }

bool HeatBlueprint::loses_members(const std::string& path) {
  try {
    metadata::Resource* group = model_->root->find_path(path);
    return group != nullptr && group->family == Family::group && has_removal_policies(*group);
  } catch (const Error&) {  // whoever asks for its members is told
    return true;
  }
}

void HeatBlueprint::know(const std::string& path, const Json& attributes) {
  const auto url = attributes.find("url");
  if (url != attributes.end() && url->is_string()) handle_of_[url->get<std::string>()] = path;
  const auto removed = attributes.find("removed_rsrc_list");
  // A group that never lost a member is what it is without being told so, which would make all its members anew.
  if (removed != attributes.end() && removed->empty() && !loses_members(path)) return;
  model_->root->learn(path, to_value(attributes));
}

}  // namespace hearth::metadata::live
