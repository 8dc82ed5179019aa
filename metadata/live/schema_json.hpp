// Schemata of properties and parameters, and environments, as Heat's API writes them.
#pragma once

#include "base/json.hpp"
#include "metadata/environment/environment.hpp"
#include "metadata/parameters/schema.hpp"
#include "metadata/resources/property_schema.hpp"

namespace hearth::metadata::live {

/// {"type", "required", "update_allowed", "immutable", "default", "constraints", "schema"}.
[[nodiscard]] Json property_json(const PropertySchema& schema);
/// The parameter that a property becomes in a template made for its type.
[[nodiscard]] Json type_parameter_json(const PropertySchema& schema, bool hot);
/// {"Type", "Description", "NoEcho", "Label", "Default", "AllowedValues", "MinLength", …}.
[[nodiscard]] Json parameter_json(const ParameterSchema& schema);
/// {"parameters", "parameter_defaults", "resource_registry", "event_sinks", "encrypted_param_names"}. `given`:
/// parameters of the request.
[[nodiscard]] Json environment_json(const Environment& environment, const Json& given);

}  // namespace hearth::metadata::live
