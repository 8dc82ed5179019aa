// The ways into a rehearsal's network from outside of it: a port of this machine's loopback that leads to the
// conductor, and a socket in the rehearsal's folder, through which a port of any machine is reached ("NAME PORT\n",
// answered by an empty line, or by one that says why not).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::bootstrap {

/// Where a machine may be found in the rehearsal's network.
struct DoorHost {
  std::string address;  ///< fixed; empty = from the pool
  std::string mac;      ///< empty = not known
};
using DoorHosts = std::map<std::string, DoorHost>;

/// The IPv4 address that the kernel's table of neighbours (/proc/net/arp) has for a card; empty when it has none. Pure.
[[nodiscard]] std::string neighbour_of(std::string_view table, std::string_view mac);
/// The link-local address that a card gives itself (RFC 4291, appendix A). Pure; empty for what is no MAC.
[[nodiscard]] std::string link_local_of(std::string_view mac);

/// Outside: a listening socket at a port of 127.0.0.1, 0 = any that is free. Throws Error.
[[nodiscard]] Fd listen_on_loopback(std::uint16_t port);
[[nodiscard]] std::uint16_t port_of(int socket);

/// Inside, in a process of its own: `page` (empty = none) leads to `page_port` of the loopback there, `socket` to the
/// machines. Serves until it is killed. Returns an exit code.
int serve_door(const Fd& page, std::uint16_t page_port, const fs::path& socket, const DoorHosts& hosts);

/// Outside: a connection to a machine's port. Throws Error with the reason.
[[nodiscard]] Fd through_door(const fs::path& socket, const std::string& machine, std::uint16_t port);
/// Passes standard input to it, and what it sends to standard output, until it has no more.
void carry_standard_streams(const Fd& socket);

}  // namespace hearth::bootstrap
