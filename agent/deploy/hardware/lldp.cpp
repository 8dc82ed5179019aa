#include "agent/deploy/hardware/lldp.hpp"

#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "base/hex.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint16_t k_lldp = 0x88cc;

/// A socket that gets the interface's LLDP frames; empty when that may not be.
Fd lldp_socket(const Nic& nic) {
  Fd socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(k_lldp)));
  const int index = static_cast<int>(::if_nametoindex(nic.name.c_str()));
  const sockaddr_ll address{.sll_family = AF_PACKET, .sll_protocol = htons(k_lldp), .sll_ifindex = index};
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  packet_mreq group{.mr_ifindex = index, .mr_type = PACKET_MR_MULTICAST, .mr_alen = 6};
  constexpr std::array<unsigned char, 6> nearest_bridge = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
  std::copy(nearest_bridge.begin(), nearest_bridge.end(), group.mr_address);
  ::setsockopt(socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &group, sizeof group);
  return socket;
}

}  // namespace

Json parse_lldp(std::string_view payload) {
  Json found = Json::array();
  while (payload.size() >= 2) {
    const unsigned head = static_cast<unsigned char>(payload[0]) << 8U | static_cast<unsigned char>(payload[1]);
    const std::size_t size = head & 0x1ffU;
    if (head >> 9U == 0 || payload.size() < 2 + size) break;
    found.push_back({head >> 9U, to_hex(payload.substr(2, size))});
    payload.remove_prefix(2 + size);
  }
  return found;
}

void listen_for_lldp(std::vector<Nic>& nics, Duration patience) {
  std::vector<Fd> sockets;
  std::vector<pollfd> waiting;
  std::vector<Nic*> of;
  for (Nic& nic : nics) {
    Fd socket = nic.has_carrier ? lldp_socket(nic) : Fd();
    if (!socket) continue;
    waiting.push_back({socket.get(), POLLIN, 0});
    of.push_back(&nic);
    sockets.push_back(std::move(socket));
  }
  const SystemClock clock;
  const Deadline deadline = Deadline::after(patience, clock);
  std::array<char, 2048> frame{};
  std::size_t left = waiting.size();
  while (left > 0 && ::poll(waiting.data(), waiting.size(), deadline.poll_timeout(clock.now())) > 0) {
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      const ssize_t size = ::recv(waiting[i].fd, frame.data(), frame.size(), 0);
      if (size > 0) of[i]->lldp = parse_lldp({frame.data(), static_cast<std::size_t>(size)});
      waiting[i].fd = -1;
      --left;
    }
  }
}

}  // namespace hearth::agent::deploy
