// Routes, rules and link settings as command lines of interfaces(5).
#pragma once

#include <string>

#include "agent/net/device.hpp"

namespace hearth::agent::net {

/// "up …" and "down …" lines for the device's routes. With `net_tools`, plain IPv4 routes are written for route(8), as
/// os-net-config does; all others are for ip(8).
[[nodiscard]] std::string route_lines(const Device& device, const Network& network, bool net_tools);
/// The same for its rules.
[[nodiscard]] std::string rule_lines(const Device& device, const Network& network);
/// "ethtool -s N OPTIONS"; options that begin with "-" are a whole ethtool command line.
[[nodiscard]] std::string ethtool_command(const Device& device);

}  // namespace hearth::agent::net
