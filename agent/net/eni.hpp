// The provider eni: /etc/network/interfaces, as Debian's ifupdown reads it (interfaces(5)). What os-net-config writes
// for interfaces, vlans and Open vSwitch is written in the same form; bridges, bonds, rules, IPv6 and the rest, which
// it lacks, are commands of iproute2, so that neither bridge-utils nor ifenslave nor vlan need be installed.
#pragma once

#include <map>

#include "agent/net/layout.hpp"

namespace hearth::agent::net {

/// What the machine has besides ifupdown.
struct EniMachine {
  bool net_tools = false;      ///< route(8): plain IPv4 routes are then written as os-net-config writes them
  bool resolver_hook = false;  ///< resolvconf or systemd-resolved takes dns-nameservers from ifupdown
  std::string route_tables;    ///< present text of /etc/iproute2/rt_tables
};

[[nodiscard]] Layout render_eni(const Network& network, const EniMachine& machine);

/// The stanzas of an interfaces file by interface: what `auto`, `allow-…`, `iface` and the lines below say of each.
/// Comments and blank lines do not count.
[[nodiscard]] std::map<std::string, std::string> split_stanzas(const std::string& interfaces);

}  // namespace hearth::agent::net
