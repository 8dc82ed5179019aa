// The config of docker-cmd and docker-compose deployments: an object, or YAML text of one.
#pragma once

#include "base/json.hpp"

namespace hearth::agent {

/// Null when there is none (nothing to do). Throws Error(input) when it is anything but an object.
[[nodiscard]] Json container_config(const Json& deployment);

}  // namespace hearth::agent
