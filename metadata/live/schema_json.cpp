#include "metadata/live/schema_json.hpp"

#include "metadata/live/value_json.hpp"

namespace hearth::metadata::live {

namespace {

Json bounds(const char* low, const char* high, const Constraint& constraint) {
  Json out = Json::object();
  if (!constraint.low.is_null()) out[low] = to_json(constraint.low);
  if (!constraint.high.is_null()) out[high] = to_json(constraint.high);
  return out;
}

Json allowed_json(const Constraint& constraint) {
  Json values = Json::array();
  for (const Value& value : constraint.allowed) values.push_back(to_json(value));
  return values;
}

Json constraint_json(const Constraint& constraint) {
  Json out = Json::object();
  switch (constraint.kind) {
    case Constraint::Kind::length: out["length"] = bounds("min", "max", constraint); break;
    case Constraint::Kind::range: out["range"] = bounds("min", "max", constraint); break;
    case Constraint::Kind::modulo: out["modulo"] = bounds("step", "offset", constraint); break;
    case Constraint::Kind::allowed_values: out["allowed_values"] = allowed_json(constraint); break;
    case Constraint::Kind::allowed_pattern: out["allowed_pattern"] = constraint.text; break;
    case Constraint::Kind::custom: out["custom_constraint"] = constraint.text; break;
  }
  if (constraint.description) out["description"] = *constraint.description;
  return out;
}

void add_constraint(Json& out, const Constraint& constraint) {
  if (constraint.description) out["ConstraintDescription"] = *constraint.description;
  switch (constraint.kind) {
    case Constraint::Kind::length: return out.update(bounds("MinLength", "MaxLength", constraint));
    case Constraint::Kind::range: return out.update(bounds("MinValue", "MaxValue", constraint));
    case Constraint::Kind::modulo: out["Modulo"] = bounds("Step", "Offset", constraint); return;
    case Constraint::Kind::allowed_values: out["AllowedValues"] = allowed_json(constraint); return;
    case Constraint::Kind::allowed_pattern: out["AllowedPattern"] = constraint.text; return;
    case Constraint::Kind::custom: out["CustomConstraint"] = constraint.text; return;
  }
}

}  // namespace

Json property_json(const PropertySchema& schema) {
  Json out = Json::object();
  out["type"] = property_type_name(schema.type);
  out["required"] = schema.required;
  out["update_allowed"] = schema.updatable;
  out["immutable"] = false;
  if (!schema.default_value.is_null()) out["default"] = to_json(schema.default_value);
  if (!schema.constraints.empty()) {
    out["constraints"] = Json::array();
    for (const Constraint& constraint : schema.constraints) out["constraints"].push_back(constraint_json(constraint));
  }
  for (const auto& [name, member] : schema.members) out["schema"][name] = property_json(member);
  if (schema.item) out["schema"]["*"] = property_json(*schema.item);
  return out;
}

Json type_parameter_json(const PropertySchema& schema, bool hot) {
  DataType type = schema.type == DataType::integer ? DataType::number : schema.type;
  if (type == DataType::any) type = DataType::string;
  Json out = Json::object();
  out[hot ? "type" : "Type"] = type_text(type, !hot);
  if (!schema.default_value.is_null()) out[hot ? "default" : "Default"] = to_json(schema.default_value);
  if (!hot) {
    for (const Constraint& constraint : schema.constraints) add_constraint(out, constraint);
    return out;
  }
  for (const Constraint& constraint : schema.constraints) out["constraints"].push_back(constraint_json(constraint));
  return out;
}

Json parameter_json(const ParameterSchema& schema) {
  Json out = Json::object();
  out["Type"] = type_text(schema.type, true);
  out["Description"] = schema.description;
  out["NoEcho"] = schema.hidden ? "true" : "false";
  out["Label"] = schema.label.empty() ? schema.name : schema.label;
  if (!schema.default_value.is_null()) out["Default"] = to_json(schema.default_value);
  if (!schema.tags.empty()) out["Tags"] = schema.tags;
  for (const Constraint& constraint : schema.constraints) add_constraint(out, constraint);
  return out;
}

Json environment_json(const Environment& environment, const Json& given) {
  const auto or_else = [](const Value& value, Json fallback) {
    return value.is_null() ? std::move(fallback) : to_json(value);
  };
  Json out = Json::object();
  out["parameters"] = or_else(environment.parameters, Json::object());
  if (given.is_object()) out["parameters"].update(given);
  out["parameter_defaults"] = or_else(environment.parameter_defaults, Json::object());
  out["resource_registry"] = or_else(environment.resource_registry, Json::object());
  if (!out["resource_registry"].contains("resources")) out["resource_registry"]["resources"] = Json::object();
  out["event_sinks"] = or_else(environment.event_sinks, Json::array());
  out["encrypted_param_names"] = or_else(environment.encrypted_param_names, Json::array());
  return out;
}

}  // namespace hearth::metadata::live
