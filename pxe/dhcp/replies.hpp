// The parts of a DHCP answer: pure functions from the request, the network and the boot offer.
#pragma once

#include "pxe/boot/answer.hpp"
#include "pxe/dhcp/engine.hpp"

namespace hearth::pxe::dhcp {

/// Head and identity: xid, flags, chaddr, giaddr, and options 53, 54, 61, 82, 97.
[[nodiscard]] Message reply_to(const Message& request, Type type, Ipv4 server);
/// Mask, routers, names, times; `lease_s` 0 leaves the times out (for INFORM).
void add_network(Message& reply, const Network& network, std::uint32_t lease_s);
void add_boot(Message& reply, const BootOffer& offer, const Client& client, Ipv4 server);
/// Further what a proxyDHCP answer must have: class, and for BIOS "take the boot file from here" (PXE 2.1,
/// option 43.6).
void add_proxy(Message& reply, const Client& client);
/// Where the answer goes (RFC 2131 section 4.1).
[[nodiscard]] Answer addressed(Message reply, const Message& request);
/// Our identity towards this client: what its relay wants it to be (RFC 5107), else `server`.
[[nodiscard]] Ipv4 server_identity(const Message& request, Ipv4 server);

}  // namespace hearth::pxe::dhcp
