// Routes and rules as sections of systemd.network(5).
#pragma once

#include <string>

#include "agent/net/device.hpp"

namespace hearth::agent::net {

/// [Route] and [RoutingPolicyRule] sections of the device. Throws Error(input) for an option without a key there.
[[nodiscard]] std::string route_sections(const Device& device, const Network& network);

}  // namespace hearth::agent::net
