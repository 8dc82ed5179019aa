// A network interface that gets its address by DHCP.
#pragma once

#include <functional>
#include <string>

#include "agent/deploy/init/dhcp_message.hpp"
#include "agent/deploy/init/links.hpp"
#include "base/clock.hpp"

namespace hearth::agent::deploy {

/// Asks for an address until the deadline; nothing when no server answers.
[[nodiscard]] std::optional<DhcpAnswer> ask_for_lease(const std::string& interface, const MacAddress& mac,
                                                      const Deadline& deadline, Clock& clock);
/// Asks to keep `lease`; nothing when no server answers, a refusal (nak) only by the server that gave it.
[[nodiscard]] std::optional<DhcpAnswer> renew_lease(const std::string& interface, const MacAddress& mac,
                                                    const DhcpAnswer& lease, const Deadline& deadline,
                                                    const Clock& clock);
/// Gives the interface what the lease says: address, mask, MTU, routes and, with `default_route`, the router. What an
/// earlier lease gave goes. An MTU or a route that the kernel refuses is told by `say`, and the rest is taken; without
/// the address it throws Error(io).
void apply_lease(const std::string& interface, const DhcpAnswer& lease, bool default_route, Links& links,
                 const std::function<void(const std::string&)>& say);

}  // namespace hearth::agent::deploy
