#include "metadata/live/heat_guide.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "metadata/compile/request.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/live/heat_blueprint.hpp"
#include "metadata/live/schema_json.hpp"
#include "metadata/live/value_json.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/resources/type_names.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::string_view k_hot = "heat_template_version";

const std::map<std::string_view, std::string_view>& aliases() {
  static const std::map<std::string_view, std::string_view> names = {
      {"2016-10-14", "newton"}, {"2017-02-24", "ocata"}, {"2017-09-01", "pike"},
      {"2018-03-02", "queens"}, {"2018-08-31", "rocky"}, {"2021-04-16", "wallaby"}};
  return names;
}

Json version_row(std::string_view key, std::string_view name, const char* type) {
  Json row = Json::object();
  row["version"] = cat(key, ".", name);
  row["type"] = type;
  row["aliases"] = Json::array();
  const auto alias = aliases().find(name);
  if (alias != aliases().end()) row["aliases"].push_back(cat(key, ".", alias->second));
  return row;
}

/// A name that can stand in a template: "OS::Heat::Value" is "Value".
std::string short_name(const std::string& type) { return type.substr(type.rfind(':') + 1); }

Json stack_parameters(metadata::Stack& stack) {
  Json parameters = Json::object();
  for (const ParameterSchema& schema : stack.parameters().schemata()) {
    parameters[schema.name] = parameter_json(schema);
    const auto origin = stack.parameters().origin(schema.name);
    if (origin != StackParameters::Origin::given || schema.hidden) continue;
    if (const auto value = stack.parameters().value(schema.name)) parameters[schema.name]["Value"] = to_json(*value);
  }
  return parameters;
}

Json nested_parameters(metadata::Stack& stack) {
  Json out = Json::object();
  for (metadata::Resource* resource : stack.resources()) {
    metadata::Stack* inner = nullptr;
    try {
      inner = stack.nested_of(*resource);
    } catch (const Fault&) {  // the root's own validation tells what is wrong
    }
    if (inner == nullptr) continue;
    Json row = Json::object();
    row["Type"] = resource->type;
    row["Description"] = inner->source() == nullptr ? "" : inner->source()->description();
    row["Parameters"] = inner->source() == nullptr ? Json::object() : stack_parameters(*inner);
    Json deeper = nested_parameters(*inner);
    if (!deeper.empty()) row["NestedParameters"] = std::move(deeper);
    out[resource->name] = std::move(row);
  }
  return out;
}

Json validated(StackModel& model, const Json& request, bool nested) {
  Json whole = request;
  whole["stack_name"] = "validate";
  const Json given = request.value("template", Json());
  if (given.is_string()) check_template_size(given.get_ref<const std::string&>().size(), k_largest_template);
  StackRequest parts = request_from_body(model, to_value(whole));
  parts.settings.largest_template = k_largest_template;
  build_model(model, parts);
  for (const Fault& fault : validate_stack(*model.root)) {
    if (fault.type() != "UserParameterMissing") throw fault;
  }
  Json out = Json::object();
  const std::string description = model.root->source()->description();
  out["Description"] = description.empty() ? "No description" : description;
  const Value groups = model.root->source()->section("parameter_groups", "ParameterGroups");
  if (groups.is_list()) out["ParameterGroups"] = to_json(groups);
  out["Parameters"] = stack_parameters(*model.root);
  out["Environment"] = environment_json(model.tree->environment, to_json(parts.parameters));
  if (nested) out["NestedParameters"] = nested_parameters(*model.root);
  return out;
}

}  // namespace

std::vector<std::string> HeatGuide::resource_types() const {
  std::vector<std::string> names;
  for (const std::string& name : builtin_type_names()) {
    if (find_resource_type(name) != nullptr) names.push_back(name);
  }
  return names;
}

std::optional<Json> HeatGuide::resource_type(const std::string& name) const {
  const ResourceType* type = find_resource_type(name);
  if (type == nullptr) return std::nullopt;
  Json out = Json::object();
  out["resource_type"] = name;
  out["description"] = cat(name, ", as far as it can be had without the service behind it");
  out["properties"] = Json::object();
  for (const auto& [property, schema] : type->properties) out["properties"][property] = property_json(schema);
  out["attributes"] = Json::object();
  for (const std::string& attribute : type->attributes) out["attributes"][attribute] = Json::object();
  out["support_status"] = {
      {"status", "SUPPORTED"}, {"message", Json()}, {"version", Json()}, {"previous_status", Json()}};
  return out;
}

std::optional<Json> HeatGuide::type_template(const std::string& name, bool hot) const {
  const ResourceType* type = find_resource_type(name);
  if (type == nullptr) return std::nullopt;
  const std::string own = short_name(name);
  Json out = Json::object();
  out[hot ? "heat_template_version" : "HeatTemplateFormatVersion"] = hot ? "2016-10-14" : "2012-12-12";
  out[hot ? "description" : "Description"] = cat("Initial template of ", own);
  Json& parameters = out[hot ? "parameters" : "Parameters"] = Json::object();
  Json properties = Json::object();
  for (const auto& [property, schema] : type->properties) {
    parameters[property] = type_parameter_json(schema, hot);
    properties[property] = {{hot ? "get_param" : "Ref", property}};
  }
  out[hot ? "resources" : "Resources"][own] = {{hot ? "type" : "Type", name},
                                               {hot ? "properties" : "Properties", properties}};
  Json& outputs = out[hot ? "outputs" : "Outputs"] = Json::object();
  for (const std::string& attribute : type->attributes) {
    const Json value = hot ? Json({{"get_attr", Json::array({own, attribute})}})
                           : Json({{"Fn::GetAtt", Json::array({own, attribute})}});
    outputs[attribute] = {{hot ? "value" : "Value", value}};
  }
  return out;
}

Json HeatGuide::versions() const {
  Json all = Json::array();
  all.push_back(version_row("AWSTemplateFormatVersion", "2010-09-09", "cfn"));
  all.push_back(version_row("HeatTemplateFormatVersion", "2012-12-12", "cfn"));
  for (const std::string& name : hot_version_names()) all.push_back(version_row(k_hot, name, "hot"));
  return all;
}

std::optional<Json> HeatGuide::functions(const std::string& version, bool conditions) const {
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos) return std::nullopt;
  Version known = Version::hot_end;
  try {
    known = version_of(map_of({{version.substr(0, dot), Value::string(version.substr(dot + 1))}}));
  } catch (const Fault&) {
    return std::nullopt;
  }
  const std::vector<std::string> plain = function_names(known);
  std::set<std::string> names(plain.begin(), plain.end());
  if (conditions && has_conditions(known)) {
    for (const std::string& name : condition_function_names(known)) names.insert(name);
  }
  Json all = Json::array();
  for (const std::string& name : names) all.push_back({{"functions", name}, {"description", function_purpose(name)}});
  return all;
}

Json HeatGuide::validate(const Json& request, bool nested) const {
  StackModel model;
  model.breathe = breathe_;
  try {
    return validated(model, request, nested);
  } catch (const Fault& fault) {
    throw fault.located(model.sources);
  }
}

}  // namespace hearth::metadata::live
