// The provider ifcfg: /etc/sysconfig/network-scripts/ifcfg-NAME, route-NAME, route6-NAME and rule-NAME, as the network
// scripts of Red Hat's distributions read them (sysconfig.txt of initscripts), in the very form of os-net-config.
#pragma once

#include "agent/net/layout.hpp"

namespace hearth::agent::net {

/// `route_tables` is the present text of /etc/iproute2/rt_tables.
[[nodiscard]] Layout render_ifcfg(const Network& network, const std::string& route_tables);

}  // namespace hearth::agent::net
