// What a resource type's properties may be, and the conversion of given values to it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metadata/model/fault.hpp"
#include "metadata/parameters/constraint.hpp"

namespace hearth::metadata {

struct PropertySchema {
  DataType type = DataType::any;
  Value default_value{};
  bool required = false;
  bool updatable = false;
  bool from_parameter = false;  ///< of a nested template: texts are read as lists or JSON where the type asks for it
  std::vector<Constraint> constraints{};
  std::vector<std::pair<std::string, PropertySchema>> members{};  ///< of a map
  std::shared_ptr<const PropertySchema> item{};                   ///< of a list
};

using PropertyTable = std::vector<std::pair<std::string, PropertySchema>>;

struct ResourceType {
  std::string name;
  PropertyTable properties;
  std::vector<std::string> attributes;
  [[nodiscard]] const PropertySchema* property(std::string_view wanted) const;
};

/// "string", "map", "any".
[[nodiscard]] std::string_view property_type_name(DataType type);
/// Null for types without a table.
[[nodiscard]] const ResourceType* find_resource_type(std::string_view name);

/// What a type takes as update_policy; most take nothing.
[[nodiscard]] const PropertyTable& update_policy_table(std::string_view type);

/// The value of one property: converted, with its default, checked. What waits inside stays as it is and is not
/// checked. Faults have the path from the property on: "inputs[0].type".
[[nodiscard]] Value convert_property(const PropertySchema& schema, const Value& value, const std::string& name);
[[nodiscard]] std::vector<Value> names_in(const Value& map);
/// Refuses what the table does not have.
void check_property_names(const PropertyTable& table, const std::vector<Value>& names);
/// A whole map of properties: unknown ones are refused, missing ones get their default or null.
[[nodiscard]] Value convert_properties(const PropertyTable& table, const Value& given);

}  // namespace hearth::metadata
