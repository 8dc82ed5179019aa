#include "metadata/parameters/schema.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

Fault schema_fault(const std::string& text, const Mark& mark) { return {"InvalidSchemaError", text, mark}; }

struct TypeName {
  DataType type;
  std::string_view hot;
  std::string_view cfn;
};
constexpr std::array<TypeName, 5> k_types{{{DataType::string, "string", "String"},
                                           {DataType::number, "number", "Number"},
                                           {DataType::list, "comma_delimited_list", "CommaDelimitedList"},
                                           {DataType::map, "json", "Json"},
                                           {DataType::boolean, "boolean", "Boolean"}}};

void check_keys(const Value& map, const std::vector<std::string>& allowed, const std::string& entity) {
  if (!map.is_map()) throw schema_fault(cat("Invalid ", entity, ", expected a mapping"), map.mark());
  for (const Entry& entry : map.entries()) {
    const std::string key = python_str(entry.key);
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      throw schema_fault(cat("Invalid key '", key, "' for ", entity), entry.key.mark()).suggest(key, allowed);
    }
  }
}

std::string text_member(const Value& map, std::string_view key) {
  const Value value = member(map, key);
  return value.is_null() ? "" : python_str(value);
}

DataType type_of(const Value& type, bool cfn) {
  for (const TypeName& row : k_types) {
    if (type.is_string() && type.text() == (cfn ? row.cfn : row.hot)) return row.type;
  }
  const std::string text = python_str(type);
  throw schema_fault(cat("Invalid type (", text, ")"), type.mark()).suggest(text, parameter_type_names(cfn));
}

Constraint hot_constraint(const Value& definition, Version version) {
  check_keys(definition, constraint_keywords(), "parameter constraints");
  const auto has = [&](std::string_view key) { return definition.find(key) != nullptr; };
  if (has("modulo") && version >= Version::v2017_02_24) {
    const Value modulo = member(definition, "modulo");
    check_keys(modulo, {"step", "offset"}, "modulo constraint");
    return modulo_constraint(member(modulo, "step"), member(modulo, "offset"));
  }
  for (const char* kind : {"range", "length"}) {
    if (!has(kind)) continue;
    const Value bounds = member(definition, kind);
    check_keys(bounds, {"min", "max"}, cat(kind, " constraint"));
    return kind[0] == 'r' ? range_constraint(member(bounds, "min"), member(bounds, "max"))
                          : length_constraint(member(bounds, "min"), member(bounds, "max"));
  }
  if (has("allowed_values")) return allowed_values_constraint(member(definition, "allowed_values"));
  if (has("allowed_pattern")) return allowed_pattern_constraint(member(definition, "allowed_pattern"));
  if (has("custom_constraint")) {
    return {.kind = Constraint::Kind::custom, .text = text_member(definition, "custom_constraint")};
  }
  throw schema_fault("No constraint expressed", definition.mark());
}

void read_hot_constraints(ParameterSchema& made, const Value& schema, Version version) {
  const Value constraints = member(schema, "constraints");
  if (constraints.is_null()) return;
  if (!constraints.is_list()) {
    throw schema_fault(cat("Invalid parameter constraints for parameter ", made.name, ", expected a list"),
                       constraints.mark());
  }
  for (const Value& definition : constraints.items()) {
    try {
      made.constraints.push_back(hot_constraint(definition, version));
    } catch (const Fault& fault) {
      throw fault.at(definition.mark());
    }
    made.constraints.back().mark = definition.mark();
    if (definition.find("description") != nullptr)
      made.constraints.back().description = text_member(definition, "description");
  }
}

void read_cfn_constraints(ParameterSchema& made, const Value& schema) {
  const auto has = [&](std::string_view key) { return schema.find(key) != nullptr; };
  if (has("MinValue") || has("MaxValue"))
    made.constraints.push_back(range_constraint(member(schema, "MinValue"), member(schema, "MaxValue")));
  if (has("MinLength") || has("MaxLength"))
    made.constraints.push_back(length_constraint(member(schema, "MinLength"), member(schema, "MaxLength")));
  if (has("AllowedValues")) made.constraints.push_back(allowed_values_constraint(member(schema, "AllowedValues")));
  if (has("AllowedPattern")) made.constraints.push_back(allowed_pattern_constraint(member(schema, "AllowedPattern")));
  if (!has("ConstraintDescription")) return;
  for (Constraint& constraint : made.constraints) constraint.description = text_member(schema, "ConstraintDescription");
}

std::string bounds(const Constraint& constraint, const char* from, const char* to) {
  std::string text;
  if (!constraint.low.is_null()) text += cat(" ", from, " ", python_str(constraint.low));
  if (!constraint.high.is_null()) text += cat(" ", to, " ", python_str(constraint.high));
  return text;
}

std::string words_of(const Constraint& constraint) {
  switch (constraint.kind) {
    case Constraint::Kind::length: return cat("length", bounds(constraint, "from", "to"));
    case Constraint::Kind::range: return cat("range", bounds(constraint, "from", "to"));
    case Constraint::Kind::modulo: return cat("steps", bounds(constraint, "of", "from"));
    case Constraint::Kind::allowed_pattern: return cat("matches ", constraint.text);
    case Constraint::Kind::custom: return constraint.text;
    case Constraint::Kind::allowed_values: break;
  }
  std::vector<std::string> allowed;
  for (const Value& each : constraint.allowed) allowed.push_back(python_str(each));
  return cat("one of ", join(allowed, ", "));
}

}  // namespace

std::string_view type_text(DataType type, bool cfn) {
  const auto row = std::find_if(k_types.begin(), k_types.end(), [type](const TypeName& r) { return r.type == type; });
  return row == k_types.end() ? "" : cfn ? row->cfn : row->hot;
}

std::vector<std::string> parameter_type_names(bool cfn) {
  std::vector<std::string> names;
  for (const TypeName& row : k_types) names.emplace_back(cfn ? row.cfn : row.hot);
  return names;
}

const std::vector<std::string>& constraint_keywords() {
  static const std::vector<std::string> names{
      "description", "length", "range", "modulo", "allowed_values", "allowed_pattern", "custom_constraint"};
  return names;
}

std::vector<std::string> parameter_keywords(Version version) {
  const bool cfn = is_cfn(version);
  std::vector<std::string> keys = cfn ? std::vector<std::string>{"Type",
                                                                 "Default",
                                                                 "NoEcho",
                                                                 "AllowedValues",
                                                                 "AllowedPattern",
                                                                 "MaxLength",
                                                                 "MinLength",
                                                                 "MaxValue",
                                                                 "MinValue",
                                                                 "Description",
                                                                 "ConstraintDescription",
                                                                 "Label"}
                                      : std::vector<std::string>{"type",        "description", "default", "schema",
                                                                 "constraints", "hidden",      "label",   "immutable"};
  if (version >= Version::v2018_03_02 && !cfn) keys.emplace_back("tags");
  return keys;
}

ParameterSchema parse_parameter_schema(const Value& name, const Value& schema, Version version) {
  const bool cfn = is_cfn(version);
  ParameterSchema made;
  made.name = python_str(name);
  made.mark = name.mark();
  check_keys(schema, parameter_keywords(version), cat("parameter (", made.name, ")"));
  const Value* type = schema.find(cfn ? "Type" : "type");
  if (type == nullptr) throw schema_fault(cat("Missing parameter type for parameter: ", made.name), name.mark());
  if (!cfn && version >= Version::v2018_03_02 && schema.find("tags") != nullptr) {
    const Value tags = member(schema, "tags");
    if (!tags.is_list())
      throw schema_fault(cat("Tags property should be a list for parameter: ", made.name), tags.mark());
    for (const Value& tag : tags.items()) made.tags.push_back(python_str(tag));
  }
  if (cfn) {
    read_cfn_constraints(made, schema);
  } else {
    read_hot_constraints(made, schema, version);
  }
  made.type = type_of(*type, cfn);
  made.default_value = member(schema, cfn ? "Default" : "default");
  made.description = text_member(schema, cfn ? "Description" : "description");
  made.label = text_member(schema, cfn ? "Label" : "label");
  made.hidden = cfn ? to_lower(text_member(schema, "NoEcho")) == "true" : truth(member(schema, "hidden"));
  made.immutable = !cfn && truth(member(schema, "immutable"));
  return made;
}

void check_parameter_schema(const ParameterSchema& schema, PatternBudget& patterns) {
  const auto invalid = [&](const std::string& text, const Mark& mark) {
    return schema_fault(cat("Parameter '", schema.name, "' is invalid: ", text), mark);
  };
  for (const Constraint& constraint : schema.constraints) {
    if (!constraint.fits(schema.type)) {
      throw invalid(cat(constraint.name(), " constraint invalid for ", type_text(schema.type, false)), constraint.mark);
    }
  }
  if (schema.default_value.is_null()) return;
  Value value = schema.default_value;
  if (schema.type == DataType::list && value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(Value::string(python_str(item)));
    value = Value::list(std::move(items));
  } else if (schema.type == DataType::list) {
    if (!value.is_string()) {
      throw invalid(cat("Default must be a comma-delimited list string: '", type_name(value),
                        "' object has no attribute 'split'"),
                    value.mark());
    }
    std::vector<Value> items;
    for (std::string& item : split(value.text(), ',')) items.push_back(Value::string(std::move(item)));
    value = Value::list(std::move(items));
  }
  for (const Constraint& constraint : schema.constraints) {
    if (constraint.kind == Constraint::Kind::custom) continue;
    try {
      constraint.check(value, schema.type, patterns);
    } catch (const Fault& fault) {
      throw invalid(cat("Invalid default ", python_str(schema.default_value), " (", fault.text(), ")"),
                    schema.default_value.mark())
          .advised_as(fault);
    }
  }
}

std::string kind_text(const ParameterSchema& schema) {
  std::string kind(type_text(schema.type, false));
  if (schema.hidden) kind += ", hidden";
  for (const Constraint& constraint : schema.constraints) kind += cat("; ", words_of(constraint));
  return kind;
}

}  // namespace hearth::metadata
