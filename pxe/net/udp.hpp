// UDP sockets as the boot servers need them: bound to an address or an interface, and told which of the machine's
// addresses a packet was sent to, so that the answer leaves from there (multi-homed servers).
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/sys/fd.hpp"
#include "pxe/net/address.hpp"

namespace hearth::pxe {

struct UdpOptions {
  std::string device;       ///< non-empty: packets of this interface only (SO_BINDTODEVICE)
  bool broadcast = false;   ///< may send to broadcast addresses
  int receive_buffer = 0;   ///< bytes; 0 = the system's
  bool share_port = false;  ///< with others that say so, too: each client is always given to the same of them
};

/// For bind(2) and its like.
[[nodiscard]] sockaddr_in to_sockaddr(const Endpoint& endpoint);
/// A non-blocking socket. Throws Error naming the address, with a hint where a right is missing or the port is taken.
[[nodiscard]] Fd open_udp(const Endpoint& local, const UdpOptions& options = {});
/// The endpoint that a socket is bound to.
[[nodiscard]] Endpoint local_endpoint(const Fd& socket);
/// From here on the socket hears of `peer` only, and sends to it without an address. Throws Error.
void connect_udp(const Fd& socket, const Endpoint& peer);
/// Lets other sockets of this user have the port too (SO_REUSEPORT).
void share_port(const Fd& socket);

struct Datagram {
  std::size_t size = 0;  ///< bytes in the buffer; longer packets are cut
  Endpoint from;
  Ipv4 to;     ///< the address that it was sent to; may be a broadcast
  Ipv4 local;  ///< this machine's address on that interface
  unsigned interface_index = 0;
};

/// The next packet, or nothing when there is none. Errors of earlier sends are skipped.
[[nodiscard]] std::optional<Datagram> receive(const Fd& socket, std::span<char> buffer);
/// Whether the kernel took it.
bool send_to(const Fd& socket, const Endpoint& to, std::string_view bytes);

}  // namespace hearth::pxe
