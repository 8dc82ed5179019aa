// The provider networkd: .netdev, .network and .link files in /etc/systemd/network (systemd.netdev(5),
// systemd.network(5), systemd.link(5); the keys are those of systemd 252, Debian 12's).
#pragma once

#include "agent/net/device.hpp"
#include "agent/net/layout.hpp"

namespace hearth::agent::net {

constexpr std::string_view k_networkd_folder = "/etc/systemd/network/";
/// Our files' names begin with this; others are never touched.
constexpr std::string_view k_networkd_prefix = "10-os-net-config-";

/// Throws Error(unsupported) for Open vSwitch and teams, which systemd-networkd does not know, and Error(input) for
/// route and rule options that it has no key for.
[[nodiscard]] Layout render_networkd(const Network& network, const std::string& route_tables);

/// [Route] and [RoutingPolicyRule] sections of the device. Throws Error(input) for an option without a key there.
[[nodiscard]] std::string route_sections(const Device& device, const Network& network);

}  // namespace hearth::agent::net
