// A network interface that gets its address of IPv6 by what a router says, or by DHCPv6.
#pragma once

#include "agent/deploy/init/ipv6_message.hpp"
#include "base/clock.hpp"

namespace hearth::agent::deploy {

/// What a router says, asked for until the deadline; nothing when none answers.
[[nodiscard]] std::optional<RouterAdvertisement> ask_routers(const std::string& interface, const Deadline& deadline,
                                                             const Clock& clock);
/// An address from a DHCPv6 server, or with `address_wanted` false only what else it tells. Nothing when none answers.
[[nodiscard]] std::optional<Dhcp6Answer> ask_dhcp6(const std::string& interface, const MacAddress& mac,
                                                   bool address_wanted, const Deadline& deadline, Clock& clock);
/// Asks to keep the address; nothing when no server answers or it is given no longer.
[[nodiscard]] std::optional<Dhcp6Answer> renew_dhcp6(const std::string& interface, const MacAddress& mac,
                                                     const Dhcp6Answer& lease, const Deadline& deadline,
                                                     const Clock& clock);
/// Waits for an address that others can use; false when there is none at the deadline.
[[nodiscard]] bool wait_for_global_address(const std::string& interface, const Deadline& deadline, Clock& clock);

}  // namespace hearth::agent::deploy
