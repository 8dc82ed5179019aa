// The network of the deploy ramdisk.
#pragma once

#include "agent/deploy/console.hpp"
#include "agent/deploy/hardware/inventory.hpp"
#include "agent/deploy/init/modules.hpp"
#include "agent/deploy/init/network_wish.hpp"
#include "agent/deploy/kernel_line.hpp"

namespace hearth::agent::deploy {

/// Which interfaces shall ask for an address: the one that the machine booted from, or the one that the command line
/// names, else all.
[[nodiscard]] std::vector<Nic> nics_to_configure(const std::vector<Nic>& nics, const Settings& settings);

/// Which interfaces ask for addresses, and how: those that ip= names; the others (bonds, VLANs, and of the rest what
/// nics_to_configure() says, but no bond's ports) as an ip= without an interface says, or where there is no ip= at all.
[[nodiscard]] std::vector<InterfaceWish> interfaces_to_ask(const std::vector<Nic>& nics, const Settings& settings,
                                                           const NetworkWish& wish);

/// The text of /etc/resolv.conf; empty without servers.
[[nodiscard]] std::string resolv_conf(const std::string& domain, const std::vector<IpBytes>& servers);

/// Makes what `wish` says, brings the interfaces up and asks for addresses of both families on all of them at once,
/// until the conductor's family has one and the other interfaces have had five seconds more; sets the clock. Leases are
/// renewed, and taken by interfaces that are late, by threads that never end: `console` must outlive them. False when
/// nobody answered in time. What can't be done, and words that were left out, are told.
[[nodiscard]] bool start_network(const NetworkWish& wish, const Settings& settings, ModuleLoader& modules, Clock& clock,
                                 Console& console);

}  // namespace hearth::agent::deploy
