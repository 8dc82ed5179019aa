// Stacks and resources as JSON, as the repository keeps them.
#pragma once

#include "metadata/engine/records.hpp"

namespace hearth::metadata::live {

[[nodiscard]] Json to_json(const Stack& stack);
[[nodiscard]] Json to_json(const Resource& resource);
[[nodiscard]] Json to_json(const DeploymentState& state);
[[nodiscard]] Stack stack_from(const Json& json);
[[nodiscard]] Resource resource_from(const Json& json);
[[nodiscard]] DeploymentState deployment_from(const Json& json);

}  // namespace hearth::metadata::live
