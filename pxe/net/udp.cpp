#include "pxe/net/udp.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

Endpoint to_endpoint(const sockaddr_in& address) { return {{ntohl(address.sin_addr.s_addr)}, ntohs(address.sin_port)}; }

void set_int(const Fd& socket, int level, int name, int value, std::string_view what) {
  if (::setsockopt(socket.get(), level, name, &value, sizeof value) != 0) throw Error::from_errno("setting up", what);
}

[[noreturn]] void refuse_bind(const Endpoint& local, int error_number) {
  Error error = Error::from_errno("listening on UDP", to_text(local), error_number);
  if (error_number == EADDRINUSE) error.hint(cat("another server has the port: ss -ulpn 'sport = :", local.port, "'"));
  if (error_number == EACCES) error.hint("ports below 1024 need root or CAP_NET_BIND_SERVICE.");
  if (error_number == EADDRNOTAVAIL) error.hint("no interface has this address: ip address");
  throw error;
}

}  // namespace

sockaddr_in to_sockaddr(const Endpoint& endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  address.sin_addr.s_addr = htonl(endpoint.address.value);
  return address;
}

Fd open_udp(const Endpoint& local, const UdpOptions& options) {
  Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) throw Error::from_errno("making", "a UDP socket");
  set_int(socket, IPPROTO_IP, IP_PKTINFO, 1, "a UDP socket");
  // Fragments rather than silence where a client asked for blocks larger than the link's packets.
  set_int(socket, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT, "a UDP socket");
  if (options.broadcast) set_int(socket, SOL_SOCKET, SO_BROADCAST, 1, "a UDP socket");
  if (options.receive_buffer > 0) set_int(socket, SOL_SOCKET, SO_RCVBUF, options.receive_buffer, "a UDP socket");
  if (options.share_port) share_port(socket);
  if (!options.device.empty()) {
    set_int(socket, SOL_SOCKET, SO_REUSEADDR, 1, "a UDP socket");
    if (::setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, options.device.data(),
                     static_cast<socklen_t>(options.device.size())) != 0)
      throw Error::from_errno("listening on interface", options.device).hint("ip link lists the interfaces.");
  }
  const sockaddr_in address = to_sockaddr(local);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) refuse_bind(local, errno);
  return socket;
}

void connect_udp(const Fd& socket, const Endpoint& peer) {
  const sockaddr_in address = to_sockaddr(peer);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw Error::from_errno("connecting UDP to", to_text(peer));
}

void share_port(const Fd& socket) { set_int(socket, SOL_SOCKET, SO_REUSEPORT, 1, "a UDP socket"); }

Endpoint local_endpoint(const Fd& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw Error::from_errno("asking for the address of", "a socket");
  return to_endpoint(address);
}

std::optional<Datagram> receive(const Fd& socket, std::span<char> buffer) {
  sockaddr_in from{};
  iovec part{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(in_pktinfo))> control{};
  msghdr message{};
  message.msg_name = &from;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  for (int attempt = 0; attempt < 16; ++attempt) {
    message.msg_namelen = sizeof from;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = ::recvmsg(socket.get(), &message, 0);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
    if (size < 0) continue;  // an ICMP answer to an earlier packet, or a signal
    Datagram datagram{.size = static_cast<std::size_t>(size), .from = to_endpoint(from)};
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != IPPROTO_IP || header->cmsg_type != IP_PKTINFO) continue;
      in_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(header), sizeof info);
      datagram.to.value = ntohl(info.ipi_addr.s_addr);
      datagram.local.value = ntohl(info.ipi_spec_dst.s_addr);
      datagram.interface_index = static_cast<unsigned>(info.ipi_ifindex);
    }
    return datagram;
  }
  return std::nullopt;
}

bool send_to(const Fd& socket, const Endpoint& to, std::string_view bytes) {
  const sockaddr_in address = to_sockaddr(to);
  return ::sendto(socket.get(), bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&address),
                  sizeof address) == static_cast<ssize_t>(bytes.size());
}

}  // namespace hearth::pxe
