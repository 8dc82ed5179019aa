// The network of the deploy ramdisk.
#pragma once

#include "agent/deploy/console.hpp"
#include "agent/deploy/hardware/inventory.hpp"
#include "agent/deploy/kernel_line.hpp"

namespace hearth::agent::deploy {

/// Which interfaces shall ask for an address: the one that the machine booted from, or the one that the command line
/// names, else all.
[[nodiscard]] std::vector<Nic> nics_to_configure(const std::vector<Nic>& nics, const Settings& settings);

/// Brings the interfaces up and asks for addresses on all of them at once, until one has one and the others have had
/// five seconds more; sets the clock. Leases are renewed, and taken by interfaces that are late, by threads that never
/// end: `console` must outlive them. False when no server answered in time.
[[nodiscard]] bool start_network(const std::vector<Nic>& nics, const Settings& settings, Clock& clock,
                                 Console& console);

}  // namespace hearth::agent::deploy
