#include "metadata/resources/property_schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "base/text.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/resources/type_descriptions.hpp"

namespace hearth::metadata {

namespace {

constexpr std::array<std::pair<DataType, std::string_view>, 7> k_property_types{{{DataType::string, "string"},
                                                                                 {DataType::number, "number"},
                                                                                 {DataType::list, "list"},
                                                                                 {DataType::map, "map"},
                                                                                 {DataType::boolean, "boolean"},
                                                                                 {DataType::integer, "integer"},
                                                                                 {DataType::any, "any"}}};

DataType type_named(std::string_view name) {
  return std::find_if(k_property_types.begin(), k_property_types.end(),
                      [&](const auto& row) { return row.second == name; })
      ->first;
}

Constraint constraint_from(const Value& table) {
  const Entry& only = table.entries().front();
  const std::string& kind = only.key.text();
  if (kind == "range") return range_constraint(member(only.value, "min"), member(only.value, "max"));
  if (kind == "length") return length_constraint(member(only.value, "min"), member(only.value, "max"));
  if (kind == "modulo") return modulo_constraint(member(only.value, "step"), member(only.value, "offset"));
  if (kind == "allowed_values") return allowed_values_constraint(only.value);
  if (kind == "allowed_pattern") return allowed_pattern_constraint(only.value);
  return {.kind = Constraint::Kind::custom, .text = python_str(only.value)};
}

PropertySchema schema_from(const Value& table) {
  PropertySchema schema{.type = type_named(table.find("t")->text()),
                        .default_value = member(table, "d"),
                        .required = truth(member(table, "r")),
                        .updatable = truth(member(table, "u"))};
  if (const Value* constraints = table.find("c")) {
    for (const Value& constraint : constraints->items()) schema.constraints.push_back(constraint_from(constraint));
  }
  if (const Value* inside = table.find("s")) {
    for (const Entry& entry : inside->entries()) {
      if (schema.type == DataType::list) {
        schema.item = std::make_shared<PropertySchema>(schema_from(entry.value));
      } else {
        schema.members.emplace_back(entry.key.text(), schema_from(entry.value));
      }
    }
  }
  return schema;
}

ResourceType read_type(const TypeDescription& row) {
  const Value table = parse_json_value(row.schema, row.name).value_or_throw();
  ResourceType type{.name = std::string(row.name), .properties = {}, .attributes = {}};
  for (const Entry& entry : table.find("properties")->entries())
    type.properties.emplace_back(entry.key.text(), schema_from(entry.value));
  for (const Value& attribute : table.find("attributes")->items()) type.attributes.push_back(attribute.text());
  return type;
}

std::unordered_map<std::string, ResourceType> read_tables() {
  std::unordered_map<std::string, ResourceType> types;
  std::vector<const TypeDescription*> aliases;
  for (const FamilyDescription& family : families()) {
    for (const TypeDescription& row : family.types) {
      if (row.schema.empty())
        aliases.push_back(&row);
      else
        types.emplace(row.name, read_type(row));
    }
  }
  for (const TypeDescription* row : aliases) types.emplace(row->name, types.at(std::string(row->schema_of)));
  return types;
}

Value zero_of(DataType type) {
  switch (type) {
    case DataType::string: return Value::string("");
    case DataType::integer:
    case DataType::number: return Value::integer(0);
    case DataType::map: return Value::map({});
    case DataType::list: return Value::list({});
    case DataType::boolean: return Value::boolean(false);
    default: return {};
  }
}

Value as_string(const Value& value) {
  if (value.is_string()) return value;
  if (value.is_integer() || value.is_bool()) return Value::string(python_str(value)).with_mark(value.mark());
  throw value_fault(cat("Value must be a string; got ", python_repr(value)), value.mark());
}

Value as_integer(const Value& value) {
  Value number = to_number(value);
  if (number.kind() != Kind::real) return number;
  const double whole = std::trunc(number.as_real());
  if (value.is_number() && std::fabs(whole) < 1e18)
    return Value::integer(static_cast<std::int64_t>(whole)).with_mark(value.mark());  // as Python's int()
  throw value_fault(cat(python_str(number), " is not an integer."), value.mark());
}

Value as_boolean(const Value& value) {
  if (value.is_bool()) return value;
  const std::string text = value.is_string() ? to_lower(value.text()) : python_str(value);
  if (value.is_string() && (text == "true" || text == "false"))
    return Value::boolean(text == "true").with_mark(value.mark());
  Fault fault(value.is_string() ? "ValueError" : "TypeError", cat("\"", text, "\" is not a valid boolean"),
              value.mark());
  throw fault;
}

Value as_list(const PropertySchema& schema, const Value& value, const std::string& name) {
  if (value.is_string() && schema.from_parameter) return value;  // comma text, split by the parameter
  if (!value.is_list()) throw type_fault(cat("\"", python_str(value), "\" is not a list"), value.mark());
  if (!schema.item) return value;
  std::vector<Value> items;
  for (std::size_t i = 0; i < value.items().size(); ++i) {
    items.push_back(convert_property(*schema.item, value.items()[i], cat(name, "[", i, "]")));
  }
  return Value::list(std::move(items)).with_mark(value.mark());
}

Value as_map(const PropertySchema& schema, const Value& value, const std::string& name) {
  if (schema.from_parameter && (value.is_string() || value.is_list()))
    return value;  // JSON text, read by the parameter
  if (!value.is_map()) throw type_fault(cat("\"", python_str(value), "\" is not a map"), value.mark());
  if (schema.members.empty()) return value;
  try {
    return convert_properties(schema.members, value).with_mark(value.mark());
  } catch (const Fault& fault) {
    throw fault.below(name);
  }
}

Value converted(const PropertySchema& schema, const Value& value, const std::string& name) {
  switch (schema.type) {
    case DataType::string: return as_string(value);
    case DataType::integer: return as_integer(value);
    case DataType::number: return to_number(value);
    case DataType::boolean: return as_boolean(value);
    case DataType::list: return as_list(schema, value, name);
    case DataType::map: return as_map(schema, value, name);
    default: return value;
  }
}

}  // namespace

const PropertySchema* ResourceType::property(std::string_view wanted) const {
  const auto found =
      std::find_if(properties.begin(), properties.end(), [&](const auto& p) { return p.first == wanted; });
  return found == properties.end() ? nullptr : &found->second;
}

const PropertyTable& update_policy_table(std::string_view type) {
  static const auto table_of = [](const std::string& text) {
    PropertyTable table;
    const Value read = parse_json_value(text, "update policies").value_or_throw();
    for (const Entry& entry : read.entries()) table.emplace_back(entry.key.text(), schema_from(entry.value));
    return table;
  };
  static const std::string batch =
      R"("max_batch_size": {"t": "integer", "d": 1, "c": [{"range": {"min": 1}}]},
         "pause_time": {"t": "number", "d": 0, "c": [{"range": {"min": 0}}]})";
  static const std::string create = R"(, "batch_create": {"t": "map", "s": {)" + batch + "}}}";
  static const PropertyTable group = table_of(
      R"({"rolling_update": {"t": "map", "s": {"min_in_service": {"t": "integer", "d": 0, "c": [{"range": {"min": 0}}]}, )" +
      batch + "}}" + create);
  static const PropertyTable deployments =
      table_of(R"({"rolling_update": {"t": "map", "s": {)" + batch + "}}" + create);
  static const PropertyTable none;
  const TypeDescription* row = find_description(type);
  switch (row == nullptr ? UpdatePolicy::none : row->update_policy) {
    case UpdatePolicy::none: break;
    case UpdatePolicy::group: return group;
    case UpdatePolicy::deployments: return deployments;
  }
  return none;
}

std::string_view property_type_name(DataType type) {
  return std::find_if(k_property_types.begin(), k_property_types.end(),
                      [type](const auto& row) { return row.first == type; })
      ->second;
}

const ResourceType* find_resource_type(std::string_view name) {
  static const std::unordered_map<std::string, ResourceType> types = read_tables();
  const auto found = types.find(std::string(name));
  return found == types.end() ? nullptr : &found->second;
}

Value convert_property(const PropertySchema& schema, const Value& value, const std::string& name) {
  if (value.is_waiting()) return value;
  try {
    Value result = value;
    if (value.is_null()) {
      // Even for a parameter with a default of its own.
      result = schema.default_value.is_null() ? zero_of(schema.type) : schema.default_value;
      if (schema.type == DataType::map && !schema.members.empty()) result = as_map(schema, result, name);
    } else {
      result = converted(schema, value, name);
    }
    const bool still_text =  // of a nested template's parameter, which will look at what it reads there
        schema.from_parameter && result.is_string() && (schema.type == DataType::list || schema.type == DataType::map);
    if (result.has_waiting() || still_text) return result;
    for (const Constraint& constraint : schema.constraints) constraint.check(result, schema.type);
    return result;
  } catch (const Fault& fault) {
    if (fault.type() == "StackValidationFailed") throw;  // has its path already
    throw validation_fault(fault.text(), fault.mark().known() ? fault.mark() : value.mark(), name).advised_as(fault);
  }
}

std::vector<Value> names_in(const Value& map) {
  std::vector<Value> names;
  for (const Entry& entry : map.entries()) names.push_back(entry.key);
  return names;
}

void check_property_names(const PropertyTable& table, const std::vector<Value>& names) {
  for (const Value& name : names) {
    const std::string key = python_str(name);
    if (std::any_of(table.begin(), table.end(), [&](const auto& row) { return row.first == key; })) continue;
    Fault fault = validation_fault(cat("Unknown Property ", key), name.mark());
    std::vector<std::string> known;
    for (const auto& row : table) known.push_back(row.first);
    throw fault.suggest(key, known);
  }
}

Value convert_properties(const PropertyTable& table, const Value& given) {
  check_property_names(table, names_in(given));
  MapBuilder members;
  for (const auto& [name, schema] : table) {
    if (const Value* value = given.find(name)) {
      members.set(name, convert_property(schema, *value, name));
    } else if (schema.required) {
      throw validation_fault(cat("Property ", name, " not assigned"), given.mark()).lacks(name);
    } else if (!schema.from_parameter) {
      members.set(name, schema.default_value.is_null() ? Value() : convert_property(schema, Value(), name));
    }
  }
  return Value::map(std::move(members));
}

}  // namespace hearth::metadata
