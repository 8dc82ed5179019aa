// What switches say of themselves (IEEE 802.1AB).
#pragma once

#include <vector>

#include "agent/deploy/hardware/inventory.hpp"
#include "base/clock.hpp"

namespace hearth::agent::deploy {

/// The TLVs of a frame behind its Ethernet header, as [[type, hexadecimal value]…]; up to the end TLV or what is
/// broken.
[[nodiscard]] Json parse_lldp(std::string_view payload);

/// Listens on all interfaces that have a carrier, until each has heard one or the time is over; fills in Nic::lldp.
/// Needs CAP_NET_RAW; without it nothing is heard.
void listen_for_lldp(std::vector<Nic>& nics, Duration patience);

}  // namespace hearth::agent::deploy
