#include "pxe/tftp/strangers.hpp"

#include <sys/epoll.h>

#include <array>

#include "base/error.hpp"
#include "pxe/net/udp.hpp"
#include "pxe/tftp/packet.hpp"

namespace hearth::pxe::tftp {

Strangers::Strangers(Reactor& reactor, const Fd& socket, const Endpoint& client) : reactor_(reactor) {
  connect_udp(socket, client);
  try {
    share_port(socket);  // not before: the port had to be one that nobody else has
    socket_ = open_udp(local_endpoint(socket), {.share_port = true});
    reactor_.watch(socket_.get(), EPOLLIN, *this);
  } catch (const Error&) {
    socket_ = Fd();
  }
}

Strangers::~Strangers() {
  if (socket_) reactor_.forget(socket_.get(), *this);
}

void Strangers::ready(std::uint32_t /*events*/) {
  std::array<char, 512> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
  const std::optional<Datagram> datagram = receive(socket_, buffer);
  if (datagram) send_to(socket_, datagram->from, error_packet(ErrorCode::unknown_transfer, "Unknown transfer"));
}

}  // namespace hearth::pxe::tftp
