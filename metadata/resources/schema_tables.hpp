// The property tables of resource types as JSON texts, one a type; read by property_schema.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace hearth::metadata {

[[nodiscard]] const std::vector<std::string_view>& heat_schema_tables();
[[nodiscard]] const std::vector<std::string_view>& cloud_schema_tables();

}  // namespace hearth::metadata
